/* From places in a file to functions and loops of its code. */
#ifndef PORTOLAN_PROFILE_PLACES_H
#define PORTOLAN_PROFILE_PLACES_H

#include "profile/profile.h"

/* Adds to @p the functions and loops of image @image that @s has samples in, with source lines
 * where @lines. What cannot be read has a function without a name. Any thread; asks watch_steps,
 * and ends early when that says so. */
void places_find(struct run_profile *p, const struct samples *s, uint32_t image, bool lines);

#endif
