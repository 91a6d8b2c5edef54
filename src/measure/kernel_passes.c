/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"

#define WIDTH 0.01            /* relative: times on one floor */
#define SHARE 0.15            /* of all windows on it, and three at least: more is asked than of chance */
#define FEW 3
#define VISITS 8              /* with so many visits and windows, and no floor, there is none */
#define WINDOWS 40
#define BACKWARDS 1.02        /* a long run cannot be so many times more than twice a short one: then the short ones were in another rhythm */
#define VISIT_SECONDS 0.3
#define PATIENCE_SECONDS 1.2

void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m)
{
    for (unsigned i = 0; i < m->windows && p->count < KERNEL_PASSES_WINDOWS; i++) {
        p->visit[p->count] = (unsigned char)p->visits;
        p->shorter[p->count] = m->shorter[i];
        p->longer[p->count++] = m->longer[i];
    }
    p->between = m->windows ? m->between : p->between;
    p->visits += m->windows > 0;
}

/* Whether two visits have a time from @low to @high. */
static bool visits_share(const struct kernel_passes *p, const float *times, double low, double high)
{
    int first = -1;

    for (unsigned i = 0; i < p->count; i++)
        if ((double)times[i] >= low && (double)times[i] <= high) {
            if (first >= 0 && first != p->visit[i])
                return true;
            first = p->visit[i];
        }
    return false;
}

/* The lowest of @times around which others lie densely, in *@floor, and how far these lie apart. False when there is none, or only one visit has it. */
static bool floor_of(const struct kernel_passes *p, const float *times, double *floor, double *apart)
{
    double sorted[KERNEL_PASSES_WINDOWS], relative;

    for (unsigned i = 0; i < p->count; i++)
        sorted[i] = (double)times[i];
    if (!window_floor(sorted, p->count, WIDTH, SHARE, floor, &relative))
        return false;
    *apart = relative * *floor;
    return visits_share(p, times, *floor * (1 - WIDTH), *floor * (1 + WIDTH));
}

bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread)
{
    double low, high, apart[2];

    if (p->visits < 2 || p->count < 2 * FEW || !floor_of(p, p->shorter, &low, &apart[0]) || !floor_of(p, p->longer, &high, &apart[1]))
        return false;
    if (high <= low || high - low > BACKWARDS * low)
        return false;
    *cycles = (high - low) / p->between;
    *spread = (apart[0] + apart[1]) / (high - low);
    return true;
}

bool kernel_passes_enough(const struct kernel_passes *p)
{
    return (p->visits >= VISITS && p->count >= WINDOWS) || p->count == KERNEL_PASSES_WINDOWS;
}

void kernel_passes_range(const struct kernel_passes *p, double *least, double *most)
{
    double values[KERNEL_PASSES_WINDOWS];

    for (unsigned i = 0; i < p->count; i++)
        values[i] = (double)(p->longer[i] - p->shorter[i]) / p->between;
    qsort(values, p->count, sizeof *values, compare_doubles);
    *least = values[p->count / 10];
    *most = values[p->count - 1 - p->count / 10];
}

bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err)
{
    double least, most;

    if (p->count < 2 * FEW || p->visits < 2)
        return err_set(err, ERR_LIMIT, "try again, or choose another CPU with --cpu N", "core is contended");
    kernel_passes_range(p, &least, &most);
    return err_set(err, ERR_LIMIT, "try again when the machine is idle", "no stable time: %.2f-%.2f cycles", least, most);
}

bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek, const struct insn *insns, size_t count, double seconds, struct kernel_measured *out,
                    struct err *err)
{
    struct kernel_passes passes = {.count = 0};
    double until = clock_seconds() + seconds;
    unsigned repeats = 0;
    struct err vain = {0};

    do {
        struct err fault = {0};
        double left = until - clock_seconds();
        if (!kernel_visit(s, c, insns, count, left < VISIT_SECONDS ? left : VISIT_SECONDS, &passes.plan, out, &fault) && fault.code != ERR_LIMIT) {
            *err = fault;
            return false;
        }
        if (out->vain)
            vain = fault;
        repeats += out->repeats;
        out->repeats = repeats;
        kernel_passes_add(&passes, out);
        if (kernel_passes_settled(&passes, &out->cycles, &out->spread))
            return true;
        if (seek && !seek_step(seek, s, c, out->contended, err))
            return false;
    } while (!kernel_passes_enough(&passes) && clock_seconds() < until);
    if (!passes.visits && vain.code) {
        *err = vain;
        return false;
    }
    return kernel_passes_unsettled(&passes, err);
}

bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns, size_t count, struct kernel_measured *out, struct err *err)
{
    return kernel_measure(s, c, NULL, insns, count, PATIENCE_SECONDS, out, err);
}
