/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/runs.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"

struct counted { double distance, count; };

/* Computes the lengths, in references, of windows that contain d distinct lines. At each reference
 * with a distance above d a line enters the window. The mean number of references between two such
 * references is therefore the length added per line. The integral of this mean over d is the
 * window's length (Denning's working set, 1968). */
void ages_of(const struct program *p, const struct program_run *run, struct ages *out)
{
    VEC(struct counted) all = {0};
    double farther = 0, last = 0, part = 0;

    *out = (struct ages){0};
    for (size_t i = 0; i < p->reference_count; i++)
        for (size_t k = 0; k < run->references[i].bin_count; k++) {
            const struct run_bin *b = &run->references[i].bins[k];
            farther += b->count;
            vec_push(&all, ((struct counted){b->distance, b->count}));
        }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, compare_doubles);
    for (size_t i = 0; i < all.count && !isinf(all.items[i].distance); i++) {
        if (all.items[i].distance > last) {
            part += (all.items[i].distance - last) / fmax(1, farther);
            last = all.items[i].distance;
            vec_push(&out->list, ((struct age){last, part}));
        }
        farther -= all.items[i].count;
    }
    vec_done(&all);
}
