/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/kernel_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"

#define FUSED 2               /* maximum number of instructions that fuse into one slot */
/* smallest accepted ratio of a time to kernel_least_cycles */
#define LEAST_SHARE 0.9
/* largest relative difference of the times on a floor, which are the lowest times that agree */
#define WIDTH 0.01
/* minimum share of windows on a floor; together with FEW, it excludes agreement by chance */
#define SHARE 0.15
#define FEW 3
#define APART 0.015           /* largest relative distance from the floor at which a time is on the
                               * floor */
/* minimum share of windows above the floor at which the code is assumed to have several rhythms
 * (stable times) */
#define OTHERS 0.25
/* minimum number of windows for code with several rhythms, whose fastest rhythm may be rare */
#define MANY 24
/* minimum share of windows on the floor for code with several rhythms */
#define SHARE_OF_MANY 0.06
#define BOTH 2                /* minimum number of windows with both times on their floors */
#define CLOSE 0.02            /* relative range within which windows agree without a floor */
/* Maximum number of cycles that loading the registers and leaving the loop take. Measured on a
 * Golden Cove: 0 to 60. */
#define WAY_CYCLES 512
#define VISITS_LEAST 3
/* Numbers of visits and of windows after which a loop without a floor has no stable time. */
#define VISITS 8
#define WINDOWS 40
#define PLAN_VISITS 4         /* number of visits after which an unsettled loop gets another plan */
#define PLANS 1               /* maximum number of replacements of a loop's plan */
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

static bool is_on(float time, double floor)
{
    return fabs((double)time - floor) <= WIDTH * floor;
}

/* Finds the lowest time to which at least a share @share of all @times is close. Sets *@floor to
 * this time and *@apart to the range of the close times. Returns false if there is no such time. */
static bool floor_of(const struct kernel_passes *p, const float *times, double share, double *floor,
                     double *apart)
{
    double sorted[KERNEL_PASSES_WINDOWS], relative;

    for (unsigned i = 0; i < p->count; i++)
        sorted[i] = (double)times[i];
    if (!window_floor(sorted, p->count, WIDTH, share, floor, &relative))
        return false;
    *apart = relative * *floor;
    return true;
}

/* Returns whether at least two visits have times on @floor. */
static bool visits_share(const struct kernel_passes *p, const float *times, double floor)
{
    int first = -1;

    for (unsigned i = 0; i < p->count; i++)
        if (is_on(times[i], floor)) {
            if (first >= 0 && first != p->visit[i])
                return true;
            first = p->visit[i];
        }
    return false;
}

/* Returns whether at most a share OTHERS of @times is above @floor and none is below it. The code
 * then has one rhythm: its time changes only by disturbances. */
static bool one_rhythm(const struct kernel_passes *p, const float *times, double floor)
{
    unsigned above = 0;

    for (unsigned i = 0; i < p->count; i++) {
        if ((double)times[i] < floor * (1 - APART))
            return false;
        above += (double)times[i] > floor * (1 + APART);
    }
    return above <= OTHERS * p->count;
}

/* Returns whether floors @low and @high belong to one rhythm. Some windows must be on both floors,
 * and the short run must have a plausible overhead. */
static bool belong_together(const struct kernel_passes *p, double low, double high)
{
    double way = 2 * low - high;
    unsigned both = 0;

    for (unsigned i = 0; i < p->count; i++)
        both += is_on(p->shorter[i], low) && is_on(p->longer[i], high);
    return both >= BOTH && way >= -WIDTH * low &&
           way <= WIDTH * low + WAY_CYCLES * (p->plan.passes ? p->plan.passes : 1);
}

/* Returns whether there are enough windows for a result. If two visits agree on a time, a third may
 * show that it is too long. */
static bool seen_enough(const struct kernel_passes *p)
{
    return p->visits >= VISITS_LEAST && p->count >= 2 * FEW;
}

bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread)
{
    double low, high, apart[2];

    if (!seen_enough(p) || !floor_of(p, p->shorter, SHARE, &low, &apart[0]) ||
        !floor_of(p, p->longer, SHARE, &high, &apart[1]))
        return false;
    if (!one_rhythm(p, p->shorter, low) || !one_rhythm(p, p->longer, high))
        if (p->count < MANY || !floor_of(p, p->shorter, SHARE_OF_MANY, &low, &apart[0]) ||
            !floor_of(p, p->longer, SHARE_OF_MANY, &high, &apart[1]))
            return false;
    if (high <= low || !visits_share(p, p->shorter, low) || !visits_share(p, p->longer, high) ||
        !belong_together(p, low, high))
        return false;
    if ((high - low) / p->between < p->least)
        return false;
    *cycles = (high - low) / p->between;
    *spread = (apart[0] + apart[1]) / (high - low);
    return true;
}

void kernel_passes_replan(struct kernel_passes *p)
{
    if (!p->plan.walks || p->visits < PLAN_VISITS || p->plans == PLANS)
        return;
    p->plan = (struct kernel_plan){.kind = p->plan.kind, .reached = p->plan.reached};
    p->count = p->visits = 0;
    p->plans++;
}

bool kernel_passes_enough(const struct kernel_passes *p)
{
    return (p->visits >= VISITS && p->count >= WINDOWS) || p->count == KERNEL_PASSES_WINDOWS;
}

/* Computes the range of cycles per iteration in the middle four fifths of the windows, and the
 * median of all. Stores the results in *@least, *@most and *@middle. */
static void spread_of(const struct kernel_passes *p, double *least, double *middle, double *most)
{
    double values[KERNEL_PASSES_WINDOWS];

    for (unsigned i = 0; i < p->count; i++)
        values[i] = (double)(p->longer[i] - p->shorter[i]) / p->between;
    qsort(values, p->count, sizeof *values, compare_doubles);
    *least = values[p->count / 10];
    *middle = values[p->count / 2];
    *most = values[p->count - 1 - p->count / 10];
}

double kernel_least_cycles(const struct calibration *c, size_t count)
{
    return c->unfiltered || !(c->probe_rate > 0)
               ? 0
               : LEAST_SHARE * (double)count / (FUSED * c->probe_rate);
}

void kernel_passes_range(const struct kernel_passes *p, double *least, double *most)
{
    double middle;
    spread_of(p, least, &middle, most);
}

bool kernel_passes_close(const struct kernel_passes *p, double *cycles, double *spread)
{
    double least, most;

    if (!seen_enough(p))
        return false;
    spread_of(p, &least, cycles, &most);
    *spread = (most - least) / *cycles;
    return least > 0 && *cycles >= p->least && *spread <= CLOSE;
}

/* Returns an unconfirmed time: the median of the windows or, without windows, the first value under
 * contention. NaN: none. Pure. */
static double kernel_passes_rough(const struct kernel_passes *p)
{
    double least, middle, most;

    if (!p->count)
        return p->plan.known ? p->plan.rough : NAN;
    spread_of(p, &least, &middle, &most);
    return middle;
}

bool kernel_passes_unsettled(const struct kernel_passes *p, struct err *err)
{
    static const char again[] = "repeat the command when the computer is idle";
    double least, most;

    if (!p->count)
        return p->plan.known
                   ? err_set(err, ERR_LIMIT, again,
                             "core is contended: about %.2f cycles, not confirmed", p->plan.rough)
                   : err_set(err, ERR_LIMIT, again, "core is contended");
    kernel_passes_range(p, &least, &most);
    if (p->count < 2 * FEW || p->visits < 2)
        return err_set(err, ERR_LIMIT, again,
                       "core is contended: too few times were measured (lowest: %.2f cycles)",
                       least);
    return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                   "no stable time: %.2f-%.2f cycles", least, most);
}

bool kernel_measure(struct sandbox *s, const struct calibration *c, struct seek *seek,
                    const struct insn *insns, size_t count, double seconds,
                    struct kernel_measured *out, struct err *err)
{
    struct kernel_passes passes = {.least = kernel_least_cycles(c, count)};
    double until = clock_seconds() + seconds;
    unsigned repeats = 0;
    struct err vain = {0};

    do {
        struct err fault = {0};
        double left = until - clock_seconds();
        if (!kernel_visit(s, c, insns, count, left < VISIT_SECONDS ? left : VISIT_SECONDS,
                          &passes.plan, out, &fault) &&
            fault.code != ERR_LIMIT) {
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
        kernel_passes_replan(&passes);
        if (seek && !seek_step(seek, s, c, out->contended, err))
            return false;
    } while (!kernel_passes_enough(&passes) && clock_seconds() < until);
    if (!passes.visits && vain.code) {
        *err = vain;
        return false;
    }
    if (kernel_passes_close(&passes, &out->cycles, &out->spread))
        return true;
    out->cycles = kernel_passes_rough(&passes);
    out->spread = NAN;
    return kernel_passes_unsettled(&passes, err);
}

bool kernel_run(struct sandbox *s, const struct calibration *c, const struct insn *insns,
                size_t count, struct kernel_measured *out, struct err *err)
{
    return kernel_measure(s, c, NULL, insns, count, PATIENCE_SECONDS, out, err);
}
