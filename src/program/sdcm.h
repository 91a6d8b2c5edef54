/* Stack distance cache model (Brehob and Enbody 1999): hit probability from the reuse distance. A
 * line is evicted when the number of other lines used in its set reaches the number of ways. Lines
 * map to sets uniformly at random. Pure. Any thread. */
#ifndef PORTOLAN_PROGRAM_SDCM_H
#define PORTOLAN_PROGRAM_SDCM_H

#include <stddef.h>

#include "program/histogram.h"

struct cache_shape {
    double lines;        /* capacity in lines, above 0 */
    /* associativity, from 1 to @lines; if equal to @lines, the cache is fully associative */
    double ways;
};

/* Returns the hit probability at @distance distinct lines: the sum over a < ways of C(d, a)
 * (ways/lines)^a (1 - ways/lines)^(d-a); 0 for INFINITY. For a fully associative cache, returns 1
 * below the capacity, otherwise 0. Interpolates between integers. */
double sdcm_hit(const struct cache_shape *cache, double distance);
/* Returns the hit probability with random replacement and cyclic reuse. With x, the ratio of a
 * set's lines to its ways, the share h = exp(-x (1 - h)) of the references hits. */
double sdcm_hit_random(const struct cache_shape *cache, double distance);
/* Returns the number of references in @h that miss. */
double sdcm_misses(const struct cache_shape *cache, const struct reuse_histogram *h);
/* Returns the number of misses of @h in a fully associative cache of @lines lines. */
double sdcm_misses_full(double lines, const struct reuse_histogram *h);

#endif
