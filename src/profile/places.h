/* Maps places in a file to functions and loops. */
#ifndef PORTOLAN_PROFILE_PLACES_H
#define PORTOLAN_PROFILE_PLACES_H

#include "profile/profile.h"

/* Adds to @p the functions and loops of image @image with samples in @s, with source lines if
 * @lines. An unreadable image becomes a nameless function. Any thread; polls watch_steps. */
void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines);

#endif
