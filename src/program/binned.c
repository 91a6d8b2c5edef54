/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/binned.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "program/growth.h"

static size_t bin_of(double distance)
{
    if (isinf(distance))
        return BINNED_BINS - 1;
    return distance < 1 ? 0 : (size_t)fmin(BINNED_BINS - 2, floor(log2(distance)) + 1);
}

void binned_profile(const struct fit_data *data, const struct reuse_histogram *profiles, const double *at, struct reuse_histogram *out)
{
    const struct growth_limits limits = {3, 1, 0.005, 0, INFINITY, 2, false};
    double *counts = mem_zero(data->run_count, sizeof *counts);

    *out = (struct reuse_histogram){0};
    for (size_t bin = 0; bin < BINNED_BINS; bin++) {
        double count = 0, distance = 0;
        struct formula f;
        for (size_t r = 0; r < data->run_count; r++) {
            counts[r] = 0;
            for (size_t i = 0; i < profiles[r].bins.count; i++) {
                const struct reuse_bin *b = &profiles[r].bins.items[i];
                if (bin_of(b->distance) != bin)
                    continue;
                counts[r] += b->count;
                distance += b->count * b->distance;
            }
            count += counts[r];
        }
        if (!(count > 0))
            continue;
        fit_growth(&(struct fit_data){data->inputs, data->input_count, data->run_count, counts}, &limits, &f);
        reuse_histogram_add(out, distance / count, formula_value(&f, at, data->input_count));
    }
    free(counts);
}
