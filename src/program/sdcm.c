/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/sdcm.h"

#include <math.h>

/* Binomial distribution: fewer than @ways of @distance lines fell into one of the sets. Terms follow from each other; starting from the logarithm keeps
 * large distances from underflowing. */
static double hit_whole(const struct cache_shape *cache, double distance)
{
    double p = cache->ways / cache->lines, sum = 0, first = distance * log1p(-p);

    if (distance < cache->ways)
        return 1;
    for (double a = 0, term = first; a < cache->ways; a++) {
        sum += exp(term);
        term += log(distance - a) - log(a + 1) + log(p) - log1p(-p);
    }
    return sum < 1 ? sum : 1;
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
