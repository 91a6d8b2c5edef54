/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/saturator_level.h"

#include <math.h>

#define SIZE_MOST 160        /* maximum number of instructions in one experiment */
/* Number of levels: multiples of the smallest count. With two levels, the bounds of two usages are
 * not equal by chance in all experiments. */
#define LEVELS 2

size_t saturator_levels(const struct saturators *s)
{
    return LEVELS * s->list.count;
}

struct saturator_level saturator_level_at(const struct saturators *s, size_t number, double alone)
{
    const size_t saturator = number % s->list.count;
    const uint32_t level = (uint32_t)(number / s->list.count) + 1;
    /* smallest count at which the saturator takes at least a cycle longer than the form in
     * isolation */
    const double least = ceil((alone + 1) / s->list.items[saturator].cycles - 0.01);

    return (struct saturator_level){saturator, level * (uint32_t)least};
}

bool saturator_level_fits(const struct saturators *saturators, const uint32_t *form_of,
                          struct saturator_level level, uint32_t form, enum vectors vectors)
{
    const struct saturator *s = &saturators->list.items[level.saturator];
    uint64_t size = 0;

    if (s->vectors && vectors && s->vectors != vectors)
        return false;
    for (unsigned i = 0; i < s->term_count; i++) {
        size += s->terms[i].count;
        if (form_of[s->terms[i].entry] == form)
            return false;
    }
    return size * level.count <= SIZE_MOST;
}
