/* From places in a file to functions and loops of its code. */
#ifndef PORTOLAN_PROFILE_PLACES_H
#define PORTOLAN_PROFILE_PLACES_H

#include "profile/profile.h"

/* Adds to @p the functions and loops of image @image with samples in @s, with source lines if
 * @lines. An unreadable image has a function without a name. Any thread; polls watch_steps, and
 * ends early with it. */
void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines);

#endif
