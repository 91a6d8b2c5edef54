/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/distinguish.h"

#include "chart/saturate.h"

void distinguish(const double *cycles, size_t n, double noise, uint64_t *distinct)
{
    size_t order[CHOICES_MOST];
    uint64_t above = 0;   /* set of the usages at and after position @end of the order */

    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at && cycles[order[at - 1]] > cycles[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        above |= (uint64_t)1 << i;
        distinct[i] = 0;
    }
    for (size_t i = 0, end = 0; i < n; i++) {
        const double least = cycles[order[i]];
        while (end < n && sight_difference(noise, least, cycles[order[end]]) <= DISTINGUISHED)
            above &= ~((uint64_t)1 << order[end++]);
        distinct[order[i]] |= above;
        for (size_t k = end; k < n; k++)
            distinct[order[k]] |= (uint64_t)1 << order[i];
    }
}

unsigned distinguished_pairs(const uint64_t *distinct, const uint64_t *open, size_t n)
{
    unsigned sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (unsigned)__builtin_popcountll(distinct[i] & open[i]);
    return sum / 2;
}
