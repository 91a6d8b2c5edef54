/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/window.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define LEAST_SHARE 1e-9

static double latency_of(const struct memory *m, size_t level)
{
    return level == m->count ? m->latency : m->levels[level].latency;
}

double window_line_cycles(const struct memory *m, size_t level, double parallel)
{
    double least = latency_of(m, level) / parallel;
    return level == m->count ? least : fmax(m->levels[level].miss_cycles, least);
}

/* A group of misses begins with a miss and has all misses of the next w->reach executions. The next
 * group begins after 1 / served[l] further executions. This determines the number of groups, each
 * with served[l] * reach further misses (interval analysis: Eyerman, Eeckhout, Karkhanis and Smith,
 * 2009). */
double window_waits(const struct memory *m, const struct window *w,
                    const double served[MEMORY_LEVELS + 1])
{
    /* share of executions in no group of a more distant level */
    double rest = 1, sum = 0;

    for (size_t l = m->count; l >= 1; l--) {
        double further = served[l] * w->reach,
               busy = (1 + further) * window_line_cycles(m, l, w->parallel);
        if (!(served[l] > 0))
            continue;
        for (size_t nearer = 1; nearer < l; nearer++)
            busy += served[nearer] * w->reach * window_line_cycles(m, nearer, w->parallel);
        rest /= 1 + further;
        sum += rest * served[l] * fmax(0, fmax(latency_of(m, l), busy) - w->reach * w->core);
    }
    return fmax(sum, w->walks + w->crowded - w->core);
}

/* Position in a walk: the current bin, the remaining share of its references, and its references
 * per execution by the level that serves them */
struct walking {
    size_t bin;
    double left, rates[MEMORY_LEVELS + 1];
    double crowded; /* minimum cycles per execution of the bin's lines */
};

static void enter_bin(const struct memory *m, const struct walk_reference *walk, double parallel,
                      double executions, struct walking *at)
{
    const struct run_reference *r = walk->r;
    const struct run_bin *b = &r->bins[at->bin];
    double step = b->regular > 0 ? b->step / walk->copies : 0;

    memory_served(m, b->distance, step, walk->alike, at->rates);
    at->crowded = 0;
    for (size_t l = 0; l <= m->count; l++) {
        at->rates[l] *= r->references / executions;
        const double line =
            l == 1 || walk->use != LINE_READ
                ? window_line_cycles(m, l, parallel) + memory_write_cycles(m, l, walk->use)
                : 0;
        at->crowded += l ? at->rates[l] * fmax(memory_crowded(m, l, step), line) : 0;
    }
    if (memory_prefetched(m, b->step))
        at->rates[1] *= 1 - b->regular / b->count;
    at->left = fmax(0, at->left) + b->count / r->references;
}

double window_phases(const struct memory *m, const struct window *w, const struct walks *walks,
                     double executions, const double others[MEMORY_LEVELS + 1])
{
    struct walking *at = mem_zero(walks->list.count + 1, sizeof *at);
    double done = 0, sum = 0;

    for (size_t i = 0; i < walks->list.count; i++)
        enter_bin(m, &walks->list.items[i], w->parallel, executions, &at[i]);
    while (1 - done > LEAST_SHARE) {
        double rates[MEMORY_LEVELS + 1], share = 1 - done;
        struct window phase = *w;
        for (size_t l = 0; l <= m->count; l++)
            rates[l] = others[l] / executions;
        for (size_t i = 0; i < walks->list.count; i++) {
            for (size_t l = 0; l <= m->count; l++)
                rates[l] += at[i].rates[l];
            phase.crowded += at[i].crowded;
            share = fmin(share, at[i].left);
        }
        sum += share * executions * window_waits(m, &phase, rates);
        done += share;
        for (size_t i = 0; i < walks->list.count; i++) {
            at[i].left -= share;
            while (at[i].left <= LEAST_SHARE && at[i].bin + 1 < walks->list.items[i].r->bin_count) {
                at[i].bin++;
                enter_bin(m, &walks->list.items[i], w->parallel, executions, &at[i]);
            }
            if (at[i].left <= LEAST_SHARE)
                /* The rest of the last bin is a rounding error, so the walk continues in that
                 * bin. */
                at[i].left = 1;
        }
    }
    free(at);
    return sum;
}
