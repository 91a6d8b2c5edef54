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

void binned_profile(const struct fit_data *data, const struct reuse_histogram *profiles,
                    const double *at, double total, struct reuse_histogram *out)
{
    const struct growth_limits limits = {2, 1e-4, 0.005, 0, 1, 0.5, false};
    double *shares = mem_zero(data->run_count, sizeof *shares), sum = 0;

    *out = (struct reuse_histogram){0};
    for (size_t bin = 0; bin < BINNED_BINS; bin++) {
        double count = 0, distance = 0;
        struct formula f;
        for (size_t r = 0; r < data->run_count; r++) {
            double own = 0;
            for (size_t i = 0; i < profiles[r].bins.count; i++) {
                const struct reuse_bin *b = &profiles[r].bins.items[i];
                if (bin_of(b->distance) != bin)
                    continue;
                own += b->count;
                distance += b->count * b->distance;
            }
            count += own;
            shares[r] = own > 0 ? own / reuse_histogram_total(&profiles[r]) : 0;
        }
        if (!(count > 0))
            continue;
        fit_growth(&(struct fit_data){data->inputs, data->input_count, data->run_count, shares},
                   &limits, &f);
        /* Replaces a negative share with 0, because for inputs far from those of the runs, the
         * formula may be negative. */
        double share = fmax(0, formula_value(&f, at, data->input_count));
        reuse_histogram_add(out, distance / count, share);
        sum += share;
    }
    for (size_t i = 0; i < out->bins.count; i++)
        out->bins.items[i].count *= sum > 0 ? total / sum : 0;
    free(shares);
}
