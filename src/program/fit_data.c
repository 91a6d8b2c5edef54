/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/fit_data.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"

/* Returns whether runs @a and @b have equal values of the @active inputs, except @input. */
static bool alone(const struct fit_data *d, const bool *active, size_t a, size_t b, size_t input)
{
    for (size_t i = 0; i < d->input_count; i++)
        if (i != input && active[i] &&
            d->inputs[a * d->input_count + i] != d->inputs[b * d->input_count + i])
            return false;
    return true;
}

size_t single_input_points(const struct fit_data *d, const bool *active, size_t base, size_t input,
                           double *xs, double *ys)
{
    size_t n = 0;

    for (size_t r = 0; r < d->run_count && !watch_steps(1 + n / 16); r++) {
        double x = d->inputs[r * d->input_count + input];
        bool seen = !alone(d, active, base, r, input);
        for (size_t k = 0; k < n && !seen; k++)
            seen = xs[k] == x;
        if (seen)
            continue;
        xs[n] = x;
        ys[n++] = d->values[r];
    }
    /* Adds a point if there is none, because a fit needs one. The fit was cancelled, so the caller
     * ignores its result. */
    if (!n) {
        xs[0] = d->inputs[base * d->input_count + input];
        ys[n++] = d->values[base];
    }
    return n;
}

size_t single_input_base(const struct fit_data *d, const bool *active)
{
    double *xs = mem_alloc(d->run_count * sizeof *xs), *ys = mem_alloc(d->run_count * sizeof *ys);
    size_t best = 0, most = 0;

    for (size_t r = 0; r < d->run_count && !watch.ended; r++) {
        size_t sum = 0;
        for (size_t i = 0; i < d->input_count; i++)
            sum += active[i] ? single_input_points(d, active, r, i, xs, ys) : 0;
        if (sum > most || (sum == most && d->values[r] > d->values[best])) {
            best = r;
            most = sum;
        }
    }
    free(xs);
    free(ys);
    return best;
}
