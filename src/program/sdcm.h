/* The stack distance model of caches (Brehob and Enbody 1999): the chance that a reference finds
 * its line, from its reuse distance alone. A line is evicted when as many lines as a set has ways
 * were used since, and a line falls into any of the sets with equal chance. Pure; any thread. */
#ifndef PORTOLAN_PROGRAM_SDCM_H
#define PORTOLAN_PROGRAM_SDCM_H

#include <stddef.h>

#include "program/histogram.h"

struct cache_shape {
    double lines;        /* capacity in lines, above 0 */
    double ways;         /* 1 to lines; equal to lines: fully associative */
};

/* Chance that a reference at @distance distinct lines hits: sum over a < ways of C(d, a)
 * (ways/lines)^a (1 - ways/lines)^(d-a). 0 for INFINITY; for full associativity 1 below the
 * capacity, 0 from there on. Between whole distances it is interpolated. */
double sdcm_hit(const struct cache_shape *cache, double distance);
/* The same where any line of a full set goes, not the least recently used one, and the program
 * comes back to its lines by turns: of x times as many lines as a set has ways the part h = exp(-x
 * (1 - h)) is still there. */
double sdcm_hit_random(const struct cache_shape *cache, double distance);
/* References of @h that miss. */
double sdcm_misses(const struct cache_shape *cache, const struct reuse_histogram *h);
/* The same for a fully associative cache of @lines. */
double sdcm_misses_full(double lines, const struct reuse_histogram *h);

#endif
