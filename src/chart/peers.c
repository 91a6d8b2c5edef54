/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/peers.h"

#include <math.h>

#include "chart/distinguish.h"

const struct sight *sights_find(const struct sights *s, const struct sight *like)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (s->list.items[i].beside == like->beside && s->list.items[i].count == like->count)
            return &s->list.items[i];
    return NULL;
}

bool peers_agree(const struct sights *a, const struct sights *b)
{
    size_t common = 0;

    for (size_t i = 0; i < a->list.count; i++) {
        const struct sight *one = &a->list.items[i], *other = sights_find(b, one);
        if (!other)
            continue;
        if (sight_difference(a->lattice->noise, one->cycles, other->cycles) > DISTINGUISHED)
            return false;
        common++;
    }
    return common > 1;
}

const struct sight *peers_distinguish(const struct sights *own, const struct sights *const *of,
                                      size_t n)
{
    const struct sight *best = NULL;
    double most = DISTINGUISHED;

    for (size_t i = 0; i < of[0]->list.count; i++) {
        const struct sight *one = &of[0]->list.items[i];
        double least = one->cycles, largest = one->cycles;
        if (sights_find(own, one))
            continue;
        for (size_t k = 1; k < n; k++) {
            const struct sight *other = sights_find(of[k], one);
            if (other) {
                least = fmin(least, other->cycles);
                largest = fmax(largest, other->cycles);
            }
        }
        const double range = sight_difference(own->lattice->noise, least, largest);
        if (range > most) {
            most = range;
            best = one;
        }
    }
    return best;
}
