/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/sdcm.h"

#include <math.h>

#define NEWTON_STEPS 20
#define NEAR 1e-4
/* multiple of the ways at which random replacement leaves hardly any line of a set */
#define FAR_OFF 6.0
#define TERM_MOST 1e200        /* largest term; larger ones are rescaled */
#define SPREAD 5.0             /* largest distance of the number of lines per set from its mean,
                                * in standard deviations */

/* Returns the probability that fewer than cache->ways of @distance lines map to the set (binomial
 * distribution). Terms are relative to a factor with logarithm @scale, which avoids underflow at
 * large distances. */
static double hit_whole(const struct cache_shape *cache, double distance)
{
    const double p = cache->ways / cache->lines, odds = p / (1 - p);
    double sum = 0, term = 1, scale = distance * log1p(-p);

    if (distance < cache->ways)
        return 1;
    for (double a = 0; a < cache->ways; a++) {
        sum += term;
        term *= (distance - a) / (a + 1) * odds;
        if (term > TERM_MOST) {
            sum /= TERM_MOST;
            term /= TERM_MOST;
            scale += log(TERM_MOST);
        }
    }
    return fmin(1, exp(scale + log(sum)));
}

double sdcm_hit(const struct cache_shape *cache, double distance)
{
    if (isinf(distance))
        return 0;
    if (cache->ways >= cache->lines)
        return distance < cache->lines ? 1 : 0;
    double below = floor(distance), part = distance - below, hit = hit_whole(cache, below);
    return part > 0 ? (1 - part) * hit + part * hit_whole(cache, below + 1) : hit;
}

/* Returns the smaller solution of h = exp(-x (1 - h)) for x > 1, by Newton's method from below. */
static double kept_of(double x)
{
    double h = 0;

    for (int i = 0; i < NEWTON_STEPS; i++) {
        double e = exp(-x * (1 - h)), more = (e - h) / (1 - x * e);
        h += more;
        if (!(more > NEAR))
            break;
    }
    return h;
}

double sdcm_hit_random(const struct cache_shape *cache, double distance)
{
    /* Computes the distribution of the number of other lines in the set. Its terms are relative to
     * the term that is computed first. */
    double mean = distance * cache->ways / cache->lines, sum = 0, term = 1, seen = 0;

    if (distance < cache->ways)
        return 1;
    if (mean > FAR_OFF * cache->ways)
        return exp(-mean / cache->ways);
    for (double others = fmax(0, floor(mean - SPREAD * sqrt(mean)));
         others < mean + SPREAD * sqrt(mean) + 1; others++, term *= mean / others) {
        sum += term * (others < cache->ways ? 1 : kept_of((others + 1) / cache->ways));
        seen += term;
    }
    return fmin(1, sum / seen);
}

double sdcm_misses(const struct cache_shape *cache, const struct reuse_histogram *h)
{
    double misses = 0;
    for (size_t i = 0; i < h->bins.count; i++)
        misses += h->bins.items[i].count * (1 - sdcm_hit(cache, h->bins.items[i].distance));
    return misses;
}

double sdcm_misses_full(double lines, const struct reuse_histogram *h)
{
    return sdcm_misses(&(struct cache_shape){lines, lines}, h);
}
