/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of a loop in its program, from timed blocks of iterations. */
#if defined(__x86_64__)
#include "insitu/insitu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* minimum cycles per visit at which the overhead of timing each visit is low */
#define VISIT_LEAST 400.0
/* minimum cycles per visit at which timing all visits delays the program by a few percent */
#define VISIT_LONG 4000.0
#define VISITS_TRIED 3u        /* number of moments after which only long enough visits are timed */
#define BLOCKS_LEAST 8u        /* minimum number of timed blocks for a quantile */
/* Maximum uncertainty of the cost of a patch, in cycles. It is the typical cost of a patch. Page
 * faults in copies of the process cause larger uncertainties. */
#define PATCH_OFF 2.5
/* smallest ratio of a disturbed block's cycles to those of the SLOWER-th longest of the
 * 2 * NEAR blocks around it */
#define DISTURBED 1.5
#define NEAR 8u
#define SLOWER 5u
/* If other processes used OTHERS_LEAST CPUs, blocks above DISTURBED times the lower quartile of a
 * timing are omitted. These blocks are kept if the timing's mean with them is more than SLOW_DATA
 * times the mean without them. An interruption costs less, so the data or a phase of the program is
 * slow. */
#define OTHERS_LEAST 0.2
#define SLOW_DATA 2.0
#define BLOCK_ITERATIONS 4000u /* maximum number of iterations between stamps */
/* maximum seconds between stamps, unless 16 passes or one visit take longer */
#define BLOCK_SECONDS 0.0005
/* Relative change of the clock above which a block is ignored. The counter of some CPUs advances in
 * steps of 10 ns, up to 0.095 of a measurement of the clock. */
#define CLOCK_CHANGE 0.1

double insitu_clock_overhead(const struct insitu *x)
{
    return fmax(x->ticks_per_chain, 0);
}

static int by_cycles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct timed_run {
    const double *cycles;
    size_t count;
    double all, within;   /* ticks of the blocks, and those within the loop */
};

/* Returns whether block @i took much longer than all but four of the blocks near it. Slow
 * iterations of the program are in more blocks than disturbances by the host. */
static bool is_disturbed(const struct timed_run *t, size_t i)
{
    const size_t all = t->count < 2 * NEAR + 1 ? t->count : 2 * NEAR + 1;
    const size_t before = i > NEAR ? i - NEAR : 0,
                 first = before + all < t->count ? before : t->count - all, end = first + all;
    double largest[SLOWER] = {0};   /* the SLOWER longest blocks in descending order */

    for (size_t k = first; k < end; k++) {
        double cycles = k == i ? 0 : t->cycles[k];
        for (unsigned n = 0; n < SLOWER; n++)
            if (cycles > largest[n]) {
                const double smaller = largest[n];
                largest[n] = cycles;
                cycles = smaller;
            }
    }
    return t->cycles[i] > DISTURBED * largest[SLOWER - 1];
}

/* Returns the mean of the values up to @most. Sets *@count to their number. */
static double mean_up_to(const double *values, size_t all, double most, size_t *count)
{
    double sum = 0;

    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (values[i] <= most) {
            sum += values[i];
            ++*count;
        }
    return sum / (double)*count;
}

/* Returns the mean cycles per iteration of the blocks of a timing; NaN: no blocks. Omits disturbed
 * blocks, and moderately slow blocks if @busy. Omits the first quarter, because caches and the TLB
 * are cold after a stop of the program. Adds the number of disturbed blocks to *@disturbed. */
static double mean_of(const struct timed_run *t, bool busy, size_t *disturbed)
{
    double *kept = mem_alloc((t->count + 1) * sizeof *kept);
    size_t n = 0, some;

    for (size_t i = t->count / 4; i < t->count; i++)
        if (t->count <= SLOWER || !is_disturbed(t, i))
            kept[n++] = t->cycles[i];
    *disturbed += t->count - t->count / 4 - n;
    double mean = mean_up_to(kept, n, INFINITY, &some);
    if (busy && n) {
        qsort(kept, n, sizeof *kept, by_cycles);
        const double less = mean_up_to(kept, n, DISTURBED * kept[n / 4], &some);
        if (mean <= SLOW_DATA * less) {
            mean = less;
            *disturbed += n - some;
        }
    }
    free(kept);
    return n ? mean : NAN;
}

/* Returns the mean cycles per iteration of all timings. Each timing represents an equal part of the
 * program's time. A fast loop executes more iterations in that time. Timings of few blocks have a
 * lower weight, because disturbed blocks are not detected in them. */
static double typical(const struct timed_run *timings, size_t count, bool busy, size_t *disturbed)
{
    double time = 0, iterations = 0;

    for (size_t i = 0; i < count; i++) {
        const double mean = mean_of(&timings[i], busy, disturbed),
                     weight = timings[i].within / timings[i].all *
                              fmin(1, (double)timings[i].count / (2 * NEAR + 1));
        if (mean > 0) {
            time += weight;
            iterations += weight / mean;
        }
    }
    return time / iterations;
}

bool insitu_busy(const struct insitu *x)
{
    return x->others >= OTHERS_LEAST;
}

double insitu_patch(const struct insitu *x)
{
    size_t count = x->placed.patches.count;
    double *sorted = mem_alloc((count + 1) * sizeof *sorted), middle = NAN;

    if (count >= BLOCKS_LEAST) {
        memcpy(sorted, x->placed.patches.items, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_cycles);
        /* Twice the standard error of the median of a normal distribution with these quartiles */
        const double off =
            1.86 * (sorted[3 * count / 4] - sorted[count / 4]) / sqrt((double)count);
        middle = off <= PATCH_OFF ? fmax(sorted[count / 2], 0) : NAN;
    }
    free(sorted);
    return middle;
}

/* Returns the cycles per iteration of the blocks of @kind at quantile @q (below 0: the mean of all
 * timings), without the cost of a patch in each iteration. @away: whether they include the time
 * between visits. Returns NaN with fewer than BLOCKS_LEAST blocks. Adds the number of disturbed
 * blocks to *@disturbed. */
static double cycles_with(const struct insitu *x, double q, enum block_kind kind, bool away,
                          size_t *disturbed)
{
    size_t count = x->placed.timed.count, kept = 0, timing_count = 0;
    double overhead = insitu_clock_overhead(x), *each = mem_alloc((count + 1) * sizeof *each);
    struct timed_run *timings = mem_alloc((count + 1) * sizeof *timings);
    uint32_t batch = 0;

    for (size_t i = 0; i < count; i++) {
        const struct timed_block *b = &x->placed.timed.items[i];
        double before = b->clock[0] - overhead, after = b->clock[1] - overhead,
               ticks = (double)b->ticks;
        if ((b->kind == BLOCK_VISITS || b->kind == BLOCK_NEST) && b->leaves)
            ticks -= (away ? 0 : (double)b->away) + (double)b->leaves * x->ticks_per_visit;
        if (b->kind != kind || !(ticks > 0) || !b->iterations)
            continue;
        /* Ignores a block if the clock changed or the block was interrupted. */
        if (b->waited || fabs(before - after) >= CLOCK_CHANGE * before) {
            ++*disturbed;
            continue;
        }
        if (!timing_count || b->batch != batch)
            timings[timing_count++] = (struct timed_run){.cycles = each + kept};
        batch = b->batch;
        timings[timing_count - 1].count++;
        timings[timing_count - 1].all += (double)b->ticks;
        timings[timing_count - 1].within += ticks;
        each[kept++] = ticks / (double)b->iterations / ((before + after) / 2 / STAMP_CYCLES);
    }
    double cycles = kept < BLOCKS_LEAST ? NAN
                    : q < 0 ? typical(timings, timing_count, insitu_busy(x), disturbed)
                            : 0;
    if (kept >= BLOCKS_LEAST && q >= 0) {
        qsort(each, kept, sizeof *each, by_cycles);
        cycles = each[(size_t)(q * (double)(kept - 1))];
    }
    free(timings);
    free(each);
    double patch = kind == BLOCK_COPY && x->region.each_away ? insitu_patch(x) : 0;
    return patch > 0 ? cycles - patch : cycles;
}

static double cycles_of(const struct insitu *x, double q, enum block_kind kind)
{
    size_t disturbed = 0;
    return cycles_with(x, q, kind, false, &disturbed);
}

bool insitu_original(const struct insitu *x)
{
    return !isnan(cycles_of(x, INSITU_TYPICAL, BLOCK_ORIGINAL));
}

/* Returns whether @event is an indirect jump to a target that is not known to be in the loop. */
static bool leads_outside(const struct insitu *x, uint64_t event)
{
    const struct region *r = &x->region;
    unsigned id = (unsigned)(event >> 48);

    if (id >= r->list.count || !r->list.items[id].indirect)
        return false;
    uint32_t to = region_at(r, (event & ((UINT64_C(1) << 48) - 1)) - x->placed.bias);
    return to == REGION_NONE || !r->list.items[to].in_loop;
}

/* Returns the recorded iterations per exit from the loop; INFINITY without exits, NaN without
 * iterations. @calls: executions of instructions in the original code (EVENT_AWAY) are also
 * exits. */
static double recorded_trip(const struct insitu *x, bool calls)
{
    uint64_t iterations = 0, leaves = 0;

    for (size_t i = 0; i < x->placed.events.count; i++) {
        uint64_t event = x->placed.events.items[i];
        unsigned id = (unsigned)(event >> 48);
        iterations += id == EVENT_PASS;
        leaves += id == EVENT_LEAVE || (calls && id == EVENT_AWAY) || leads_outside(x, event);
    }
    return iterations ? leaves ? (double)iterations / (double)leaves : INFINITY : NAN;
}

/* Returns the timed iterations per exit: from the code around the loop if @nest, otherwise from the
 * loop or to an instruction that is executed in the original. INFINITY without exits, NaN without
 * iterations. */
static double timed_trip(const struct insitu *x, bool nest)
{
    uint64_t iterations = 0, leaves = 0;

    for (size_t i = 0; i < x->placed.timed.count; i++) {
        if ((x->placed.timed.items[i].kind == BLOCK_NEST) != nest)
            continue;
        iterations += x->placed.timed.items[i].iterations;
        leaves += x->placed.timed.items[i].leaves;
    }
    return iterations ? leaves ? (double)iterations / (double)leaves : INFINITY : NAN;
}

/* Returns the cycles per visit of the loop, or of the code around it if @kind is BLOCK_NEST; NaN:
 * visits were not timed. */
static double visit_cycles(const struct insitu *x, enum block_kind kind)
{
    return timed_trip(x, kind == BLOCK_NEST) * cycles_of(x, INSITU_TYPICAL, kind);
}

/* Returns the minimum cycles per visit of the code around the loop at which its exits are timed. If
 * each iteration executes code of the original, its cycles are a difference, which includes the
 * time to stamp an exit. */
static double nest_least(const struct insitu *x)
{
    return x->region.each_away ? VISIT_LONG : VISIT_LEAST;
}

/* Returns the cycles per iteration, including the time between visits of the loop, at quantile @q.
 * Excludes the time outside the code around the loop if it was measured. Sets *@kind to the kind of
 * the timed blocks. */
static double whole_cycles(const struct insitu *x, double q, enum block_kind *kind)
{
    size_t disturbed = 0;
    double longer = 0;   /* cycles by which COPY_NEST takes longer than COPY_TIME */

    *kind = BLOCK_COPY;
    if (!(visit_cycles(x, BLOCK_NEST) >= nest_least(x)))
        return cycles_of(x, q, *kind);
    /* Its copy of the loop jumps to the original and back for each call. */
    if (x->region.each_away)
        longer = cycles_with(x, INSITU_TYPICAL, BLOCK_NEST, true, &disturbed) -
                 cycles_of(x, INSITU_TYPICAL, BLOCK_COPY);
    *kind = isnan(longer) ? BLOCK_COPY : BLOCK_NEST;
    return cycles_of(x, q, *kind) - (isnan(longer) ? 0 : longer);
}

/* Returns whether the time of the loop's visits is valid. Sets *@alone as insitu_cycles does. */
static bool times_visits(const struct insitu *x, double q, bool *alone)
{
    double trip = x->region.each_away ? recorded_trip(x, true) : timed_trip(x, false),
           within = cycles_of(x, INSITU_TYPICAL, BLOCK_VISITS);

    *alone = isinf(trip);
    /* Visits are not timed for a loop with an indirect jump, so there are no exits to count. */
    if (x->region.jumps_indirect ||
        !(*alone || trip * within >= VISIT_LEAST) || isnan(cycles_of(x, q, BLOCK_VISITS)))
        return false;
    return *alone = true;
}

/* Returns insitu_cycles. Sets *@kind to the kind of the timed blocks. */
static double valid_cycles(const struct insitu *x, double q, bool *alone, enum block_kind *kind)
{
    *kind = BLOCK_VISITS;
    if (times_visits(x, q, alone))
        return cycles_of(x, q, *kind);
    /* If every iteration enters the timed code from the original, only the times of the original
     * are valid. */
    *kind = BLOCK_ORIGINAL;
    const double original = x->region.jumps_indirect ? cycles_of(x, q, *kind) : NAN;
    return isnan(original) ? whole_cycles(x, q, kind) : original;
}

double insitu_cycles(const struct insitu *x, double q, bool *alone)
{
    enum block_kind kind;
    return valid_cycles(x, q, alone, &kind);
}

size_t insitu_disturbed(const struct insitu *x)
{
    size_t disturbed = 0;
    enum block_kind kind;
    bool alone;

    valid_cycles(x, INSITU_TYPICAL, &alone, &kind);
    cycles_with(x, INSITU_TYPICAL, kind, false, &disturbed);
    return disturbed;
}

bool insitu_short(const struct insitu *x)
{
    double within = 0, leaves = 0;   /* ticks of all visits without the overhead of timing them */

    for (size_t i = 0; i < x->placed.timed.count; i++) {
        const struct timed_block *b = &x->placed.timed.items[i];
        if (b->kind != BLOCK_VISITS || b->waited || !b->leaves)
            continue;
        if (isnan(x->ticks_per_visit))
            return true;
        within += (double)b->ticks - (double)b->away - (double)b->leaves * x->ticks_per_visit;
        leaves += (double)b->leaves;
    }
    /* Blocks whose overhead exceeds their time have no cycles. */
    return (leaves > 0 && within <= 0) || visit_cycles(x, BLOCK_VISITS) < VISIT_LEAST;
}

bool insitu_useful(const struct insitu *x, enum copy_mode mode)
{
    const struct region *r = &x->region;

    switch (mode) {
    case COPY_TIME: return !insitu_long(x);
    case COPY_VISIT:
        return !r->jumps_indirect && (x->moments < VISITS_TRIED || !insitu_short(x));
    case COPY_NEST:
        /* Calls in the loop must return to patched places, so that each exit is stamped. */
        return !r->jumps_indirect && !(r->calls && r->unresumed) && insitu_short(x) &&
               !(visit_cycles(x, BLOCK_NEST) < nest_least(x));
    default: return true;
    }
}

bool insitu_nest(const struct insitu *x)
{
    enum block_kind kind;
    bool alone;

    valid_cycles(x, INSITU_TYPICAL, &alone, &kind);
    return kind == BLOCK_NEST;
}

bool insitu_long(const struct insitu *x)
{
    return x->copies.induction.at != REGION_NONE && visit_cycles(x, BLOCK_VISITS) >= VISIT_LONG;
}

double insitu_cycles_whole(const struct insitu *x)
{
    enum block_kind kind;
    return whole_cycles(x, INSITU_TYPICAL, &kind);
}

double insitu_between(const struct insitu *x)
{
    double away = 0, leaves = 0;

    for (size_t i = 0; i < x->placed.timed.count; i++)
        if (x->placed.timed.items[i].kind == BLOCK_VISITS &&
            x->placed.timed.items[i].away < x->placed.timed.items[i].ticks) {
            away += (double)x->placed.timed.items[i].away;
            leaves += (double)x->placed.timed.items[i].leaves;
        }
    return leaves > 0 ? away / leaves / x->ticks_per_cycle : NAN;
}

uint64_t insitu_period(const struct insitu *x, enum copy_mode mode, double ticks_per_second)
{
    const bool visits = mode == COPY_VISIT && x->copies.induction.at != REGION_NONE;
    /* number of iterations per step of the countdown */
    const double step = visits ? insitu_trip(x) : x->copies.times[COPY_TIME];
    const uint64_t least = visits ? 1 : 16;

    if (!x->placed.timed.count)
        return visits ? least : BLOCK_ITERATIONS / 16;
    const struct timed_block *b = &x->placed.timed.items[x->placed.timed.count - 1];
    const double each = (double)b->ticks / (double)b->iterations,
                 most = fmin(BLOCK_ITERATIONS / step + !visits,
                             BLOCK_SECONDS * ticks_per_second / each / step);
    return most > (double)least ? (uint64_t)most : least;
}

double insitu_trip(const struct insitu *x)
{
    /* Timed exits include calls, but not exits through an indirect jump. */
    return x->region.calls || x->region.jumps_indirect ? recorded_trip(x, false)
                                                   : timed_trip(x, false);
}
#endif
