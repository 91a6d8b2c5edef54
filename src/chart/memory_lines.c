/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/memory_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel.h"
#include "analysis/layout.h"
#include "analysis/memory_time.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/mem.h"
#include "isa/cpu.h"
#include "isa/foreign.h"
#include "measure/kept.h"
#include "measure/kernel_arrays.h"
#include "measure/ticks.h"
#include "model/facts.h"

#define ROUNDS 2          /* minimum number of runs of a loop with arrays in private caches */
#define ROUNDS_MOST 4     /* maximum number of runs of a loop whose lowest time is not confirmed */
/* Number of runs of a loop with arrays in a shared cache or in memory. If their times differ by
 * more than AGREED, one more run is made. The median of the runs is used. */
#define ROUNDS_SHARED 2
#define AGREED 0.15
/* largest ratio of two successive times, in ascending order, at which the larger time confirms the
 * smaller one */
#define CONFIRMED 1.04
/* largest accepted relative difference of the times of a loop (median over sizes) */
#define DISAGREE 0.5
#define FAILED_MOST 20    /* maximum number of runs that fail because the core is busy */
/* Minimum seconds of a run with dependent loads in more than HOPS_FAR bytes. In a shorter run, the
 * page tables are not yet cached. */
#define HOPS_SECONDS 0.015
#define HOPS_FAR (double)(32 << 20)
/* Distance in lines between accesses for COST_ODD. The loop accesses a third of the lines, but uses
 * all sets of a cache. */
#define ODD_LINES 3
#define L1_USUAL 32768.0
#define L2_USUAL 1048576.0

/* Per cost: the loop that measures it, and the number of lines that the loop accesses per
 * iteration. @lines: lines of data. @ordered: lines that are accessed in order, such as those of
 * indices. */
static const struct { enum memory_loop loop; double lines, ordered; } probes[MEMORY_COSTS] = {
    [COST_LOAD] = {LOOP_LOADS, 2, 0},
    [COST_ALONE] = {LOOP_ALONE, 1, 0},
    [COST_STORE] = {LOOP_STORES, 1, 0},
    [COST_UPDATE] = {LOOP_UPDATES, 1, 0},
    [COST_CONCURRENT] = {LOOP_TRIAD, 2, 0},
    [COST_STREAMED] = {LOOP_STREAMED, 1, 0},
    [COST_COPIED] = {LOOP_COPIED, 1, 0},
    [COST_RANDOM] = {LOOP_GATHER, 4, 0.25},
    [COST_SINGLE] = {LOOP_SINGLE, 1, 0.0625},
    [COST_SCATTER] = {LOOP_SCATTER, 4, 0.25},
    [COST_PAIRED] = {LOOP_PAIRED, 1, 0},
    [COST_ODD] = {LOOP_ODD, 1, 0},
    [COST_SKIPPED] = {LOOP_SKIPPED, 1, 0},
    [COST_EVERY_16] = {LOOP_EVERY_16, 1, 0},
    [COST_EVERY_64] = {LOOP_EVERY_64, 1, 0},
    [COST_STORE_8] = {LOOP_STORE_8, 1, 0},
    [COST_STORE_64] = {LOOP_STORE_64, 1, 0},
    [COST_PAGE] = {LOOP_PAGES, 1, 0},
    [COST_HOP] = {LOOP_CHASE, 4, 0},
    [COST_FEW] = {LOOP_FEW, 1, 0},
    [COST_SOME] = {LOOP_SOME, 1, 0},
};

static double system_size(int name, double usual)
{
    long bytes = sysconf(name);
    return bytes > 0 ? (double)bytes : usual;
}

/* Chooses array sizes in ascending order around the probable sizes of the caches. */
static void sizes_choose(struct memory_costs *out)
{
    const double sizes[] = {1.5 * out->first,   out->second / 4,    out->second / 2,
                            0.75 * out->second, out->second,        1.5 * out->second,
                            2 * out->second,    8 * out->second,    (double)(32 << 20),
                            (double)(80 << 20)};

    out->count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!out->count || sizes[i] > 1.2 * out->bytes[out->count - 1])
            out->bytes[out->count++] = sizes[i];
}

struct memory_lines {
    bool selected[MEMORY_COSTS];  /* per cost: whether to measure it */
    double from;              /* size in bytes; only loops with larger arrays are measured */
    double only;              /* the only size in bytes that is measured; 0: all */
    struct memory_costs again;    /* costs that are measured again */
    /* minimum seconds of the samples of random accesses; 0: a few samples are enough */
    double seconds;
    double room;              /* size of the arena in bytes */
    struct sandbox *sandbox;
    struct arena_state *arena;
    const struct kernel *kernels[MEMORY_COSTS];
    struct streams streams[MEMORY_COSTS];
    struct kernel_arrays runs[MEMORY_COSTS];
    /* per loop and size: measured cycles per iteration, in ascending order */
    double cycles[MEMORY_COSTS][MEMORY_SIZES][ROUNDS_MOST];
    unsigned rounds[MEMORY_COSTS][MEMORY_SIZES];
    unsigned failed;
    /* per loop and size: cycles per iteration, estimated from the last run */
    double rough[MEMORY_COSTS][MEMORY_SIZES];
    /* Clock in cycles per tick, for the costs of shared caches and memory. 0: not yet measured. */
    double clock;
    double clock_hz;
};

static bool probes_begin(struct memory_lines *p, struct err *err)
{
    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        size_t count;
        p->kernels[i] = kernel_from_hex(
            isa_host(),
            isa_ops(isa_host())->foreign->memory_loop(probes[i].loop, cpu_vector_bits()), err);
        if (!p->kernels[i])
            return false;
        const struct insn *insns = kernel_insns(p->kernels[i], 0, &count);
        streams_find(insns, count, &p->streams[i]);
        if (!kernel_arrays_begin(&p->runs[i], p->sandbox, p->arena, insns, count, err))
            return false;
    }
    return true;
}

/* Returns the size of the arrays of loop @at with which the accessed lines have @bytes. The size of
 * the arena is the limit. */
static double arrays_bytes(const struct memory_lines *p, size_t at, double bytes)
{
    const double needed = at == COST_ODD ? ODD_LINES * bytes : bytes;

    return fmin(needed, fmax(bytes, p->room - LAYOUT_SLACK));
}

static bool probe_runs(const struct memory_lines *p, size_t at, double bytes)
{
    return p->selected[at] && bytes > p->from && (!(p->only > 0) || bytes == p->only);
}

/* Returns whether loop @at needs special contents of memory. */
static bool is_filled(size_t at)
{
    return at == COST_RANDOM || at == COST_SINGLE || at == COST_SCATTER || at == COST_HOP;
}

/* Returns whether loop @at has non-temporal stores. */
static bool is_streamed(size_t at)
{
    return at == COST_STREAMED || at == COST_COPIED;
}

/* Returns whether the lines of loop @at are several lines apart. In private caches, such loops have
 * two rates: a Zen 5 prefetches the lines in some runs and not in others (1.05 and 2.05 cycles per
 * line of the second level). */
static bool is_skipping(size_t at)
{
    return at == COST_PAIRED || at == COST_ODD || at == COST_SKIPPED;
}

/* Returns whether the time of loop @at differs from run to run without other programs. */
static bool has_rates(size_t at)
{
    return is_streamed(at) || is_skipping(at);
}

static bool probe_run(struct memory_lines *p, const struct memory_costs *sizes, size_t at, size_t k,
                      struct err *err)
{
    const double bytes = sizes->bytes[k];
    struct arrays arrays;
    struct arrays_measured m;
    size_t count;
    const struct insn *insns = kernel_insns(p->kernels[at], 0, &count);

    p->runs[at].rough = p->rough[at][k];
    if (!layout_arrays(insns, &p->streams[at], (uint64_t)arrays_bytes(p, at, bytes), &arrays, err))
        return false;
    /* Random accesses vary more from run to run, because other programs evict more of their
     * lines. */
    const double seconds = at == COST_HOP && bytes > HOPS_FAR ? fmax(p->seconds, HOPS_SECONDS)
                           : is_filled(at)                    ? p->seconds
                                                              : 0;
    if (!kernel_arrays_measure(&p->runs[at], &arrays, seconds, &m, err)) {
        if (err->code != ERR_LIMIT || ++p->failed > FAILED_MOST)
            return false;
        err_clear(err);   /* The CPU was busy. A later round repeats the run. */
        return true;
    }
    p->rough[at][k] = m.cycles;
    p->clock = p->clock > 0 ? p->clock : m.clock;
    if (memory_cost_shared(sizes, at, bytes))
        m.cycles *= p->clock / m.clock;
    p->cycles[at][k][p->rounds[at][k]++] = m.cycles;
    qsort(p->cycles[at][k], p->rounds[at][k], sizeof m.cycles, compare_doubles);
    return true;
}

/* Returns the lowest time that a second time confirms, because interference only adds time. If none
 * is confirmed, returns the lowest. *@apart receives the relative difference of the two times. */
static double lowest(const double *cycles, unsigned count, double *apart)
{
    unsigned at = 0;

    while (at + 1 < count && cycles[at + 1] > CONFIRMED * cycles[at])
        at++;
    at = at + 1 < count ? at : 0;
    *apart = count > 1 ? cycles[at + 1] / cycles[at] - 1 : 0;
    return cycles[at];
}

/* Returns the time of loop @at at size @k: the lowest time in private caches, except of loops with
 * two rates, otherwise the median. Sets *@apart to its relative uncertainty. */
static double probe_time(const struct memory_lines *p, const struct memory_costs *sizes, size_t at,
                         size_t k, double *apart)
{
    const double *cycles = p->cycles[at][k];
    const unsigned count = p->rounds[at][k];

    if (sizes->bytes[k] <= sizes->second && !is_skipping(at))
        return lowest(cycles, count, apart);
    *apart = cycles[count - 1] / cycles[0] - 1;
    return (cycles[(count - 1) / 2] + cycles[count / 2]) / 2;
}

/* Returns whether loop @at needs no further run at size @k. If @timed_out is true, the time limit
 * has passed, and ROUNDS runs are enough. */
static bool probe_settled(const struct memory_lines *p, const struct memory_costs *sizes,
                          size_t at, size_t k, bool timed_out)
{
    double apart;

    if (p->rounds[at][k] < ROUNDS || timed_out)
        return p->rounds[at][k] >= ROUNDS;
    probe_time(p, sizes, at, k, &apart);
    if (sizes->bytes[k] > sizes->second)
        return p->rounds[at][k] > ROUNDS_SHARED || apart <= AGREED;
    return p->rounds[at][k] >= ROUNDS_MOST || apart <= CONFIRMED - 1;
}

/* Runs each loop until its times are confirmed, at most ROUNDS_MOST times. If a loop needs special
 * contents of memory, runs all its sizes in sequence, to fill memory only once. Begins with large
 * arrays, because a shared cache keeps lines of smaller arrays for many walks. Returns false with
 * err on failure, or if a loop has no time. */
static bool probes_run(struct memory_lines *p, const struct memory_costs *sizes, double seconds,
                       struct err *err)
{
    const double begun = clock_seconds();
    const uint64_t first = ticks_now();

    for (unsigned round = 0; round < ROUNDS_MOST; round++)
        for (size_t i = 0; i < MEMORY_COSTS; i++) {
            const bool filled = is_filled(i);
            if (filled && round)
                continue;
            for (size_t k = sizes->count; k-- > 0;)
                for (unsigned again = 0; again < (filled ? ROUNDS_MOST : 1); again++)
                    if (probe_runs(p, i, sizes->bytes[k]) &&
                        !probe_settled(p, sizes, i, k, clock_seconds() > begun + seconds) &&
                        !probe_run(p, sizes, i, k, err))
                        return false;
        }
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        for (size_t k = 0; k < sizes->count; k++)
            if (probe_runs(p, i, sizes->bytes[k]) && !p->rounds[i][k])
                return err_set(err, ERR_LIMIT, "repeat the command when the computer is idle",
                               "core is contended");
    p->clock_hz = p->clock * (double)(ticks_now() - first) / (clock_seconds() - begun);
    return true;
}

/* Replaces times that fall while the size grows with their mean. Beyond the private caches, such
 * times are assumed to be disturbed. @cycles: times of loop @at per size. */
static void times_ascend(const struct memory_lines *p, const struct memory_costs *sizes, size_t at,
                         double cycles[MEMORY_SIZES])
{
    for (size_t k = 1; k < sizes->count; k++) {
        double sum = cycles[k];
        size_t from = k;
        while (p->rounds[at][k] && from && sizes->bytes[from - 1] > sizes->second &&
               p->rounds[at][from - 1] && cycles[from - 1] > sum / (double)(k + 1 - from))
            sum += cycles[--from];
        for (size_t i = from; i < k + 1; i++)
            cycles[i] = sum / (double)(k + 1 - from);
    }
}

/* Limits each unconfirmed time to the time with larger arrays. Assumes that in private caches no
 * loop is faster with larger arrays. Also limits the time of non-temporal stores, because on a Zen
 * 5 it doubles for some milliseconds at any size. @cycles: times of loop @at per size. */
static void times_confirm(const struct memory_lines *p, const struct memory_costs *sizes, size_t at,
                          double cycles[MEMORY_SIZES])
{
    double larger = INFINITY, apart;

    for (size_t k = sizes->count; k-- > 0;) {
        if (!p->rounds[at][k] || sizes->bytes[k] > sizes->second || is_skipping(at))
            continue;
        lowest(p->cycles[at][k], p->rounds[at][k], &apart);
        if (apart > CONFIRMED - 1 || memory_cost_shared(sizes, (enum memory_cost)at, 0))
            cycles[k] = fmin(cycles[k], larger);
        larger = fmin(larger, cycles[k]);
    }
}

/* Returns the largest relative difference of two times of loop @at with arrays of one size: the
 * spread of loops with several rates. Counts only sizes at which the rates differ. */
static double times_range(const struct memory_lines *p, const struct memory_costs *sizes, size_t at)
{
    double range = 0;

    for (size_t k = 0; k < sizes->count; k++)
        if (p->rounds[at][k] && (is_streamed(at) || sizes->bytes[k] <= sizes->second))
            range = fmax(range, p->cycles[at][k][p->rounds[at][k] - 1] / p->cycles[at][k][0] - 1);
    return range;
}

/* Computes the costs per line: subtracts the time of the loop's other lines, and divides the rest
 * by the number of lines. */
static void costs_fill(const struct memory_lines *p, struct memory_costs *out)
{
    double times[MEMORY_COSTS][MEMORY_SIZES] = {{0}}, spreads[MEMORY_SIZES];

    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        size_t count = 0;
        for (size_t k = 0; k < out->count; k++)
            if (p->rounds[i][k])
                times[i][k] = probe_time(p, out, i, k, &spreads[count++]);
        times_confirm(p, out, i, times[i]);
        times_ascend(p, out, i, times[i]);
        qsort(spreads, count, sizeof *spreads, compare_doubles);
        out->spread[i] = has_rates(i) ? fmax(out->spread[i], times_range(p, out, i))
                         : count      ? spreads[count / 2]
                                      : out->spread[i];
    }
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        for (size_t k = 0; k < out->count; k++) {
            const double other = i == COST_CONCURRENT ? times[COST_STORE][k]
                                                      : probes[i].ordered * times[COST_LOAD][k] /
                                                            probes[COST_LOAD].lines;
            if (p->rounds[i][k])
                out->cycles[i][k] = fmax(0, times[i][k] - other) / probes[i].lines;
            /* Limits the time to that of a line in isolation. A concurrent write makes a load
             * slower only if the run was disturbed. */
            if (i == COST_CONCURRENT)
                out->cycles[i][k] = fmin(out->cycles[i][k], out->cycles[COST_LOAD][k]);
        }
}

/* Returns whether the times of each loop agree. Returns false with err if other programs disturbed
 * them. Times of loops with several rates differ without other programs. */
static bool times_agree(const struct memory_costs *m, struct err *err)
{
    for (enum memory_cost cost = 0; cost < MEMORY_COSTS; cost++)
        if (m->spread[cost] > DISAGREE && !has_rates(cost))
            return err_set(err, ERR_LIMIT, "end other programs and repeat the command",
                           "times of one loop (%s) differ by %.0f %%", memory_cost_name(cost),
                           100 * m->spread[cost]);
    return true;
}

struct memory_lines *memory_lines_new(struct sandbox *s, struct arena_state *arena, double room,
                                      struct err *err)
{
    struct memory_lines *p = mem_zero(1, sizeof *p);

    *p = (struct memory_lines){.sandbox = s, .arena = arena, .room = room};
    if (probes_begin(p, err))
        return p;
    memory_lines_free(p);
    return NULL;
}

void memory_lines_free(struct memory_lines *p)
{
    for (size_t i = 0; p && i < MEMORY_COSTS; i++) {
        streams_done(&p->streams[i]);
        kernel_free(p->kernels[i]);
    }
    free(p);
}

bool memory_lines_measure(double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct memory_costs *out, struct err *err)
{
    struct arena_state arena = {0};
    struct sandbox *s = sandbox_new(-1, err);

    *out = (struct memory_costs){.first = system_size(_SC_LEVEL1_DCACHE_SIZE, L1_USUAL),
                                 .second = system_size(_SC_LEVEL2_CACHE_SIZE, L2_USUAL),
                                 .measured = true};
    sizes_choose(out);
    if (!s)
        return false;
    sandbox_cancel_by(s, cancelled, state);
    struct memory_lines *p = sandbox_arena(s, MEMORY_LINES_ARENA, huge, err)
                                 ? memory_lines_new(s, &arena, MEMORY_LINES_ARENA, err)
                                 : NULL;
    for (size_t i = 0; p && i < MEMORY_COSTS; i++)
        p->selected[i] = true;
    bool ok = p && probes_run(p, out, seconds, err);
    if (ok) {
        out->clock_hz = p->clock_hz;
        out->huge = sandbox_arena_huge(s);
        costs_fill(p, out);
        out->third = memory_third_seen(out);
        ok = times_agree(out, err);
    }
    memory_lines_free(p);
    sandbox_free(s);
    return ok;
}

/* Sets @out to the costs of @m, interpolated at the sizes of @bytes that exceed @from. */
static void sizes_replace(const struct memory_costs *m, double from, const double *bytes,
                          size_t count, struct memory_costs *out)
{
    *out = *m;
    while (out->count && out->bytes[out->count - 1] > from)
        out->count--;
    for (size_t k = 0; k < count && out->count < MEMORY_SIZES; k++) {
        if (!(bytes[k] > from))
            continue;
        for (size_t i = 0; i < MEMORY_COSTS; i++)
            out->cycles[i][out->count] = memory_cost_at(m, i, bytes[k]);
        out->bytes[out->count++] = bytes[k];
    }
}

void memory_lines_again(struct memory_lines *p, const bool selected[MEMORY_COSTS],
                        const double *bytes, size_t count, double seconds,
                        const struct memory_costs *m)
{
    /* Per cost: another cost that its loop includes, and that is subtracted. */
    static const enum memory_cost taken[MEMORY_COSTS] = {[COST_CONCURRENT] = COST_STORE,
                                                         [COST_ODD] = COST_SKIPPED};

    p->selected[COST_LOAD] = true;
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        if (selected[i])
            p->selected[i] = p->selected[taken[i]] = true;
    p->from = MEMORY_LINES_STABLE * m->second;
    p->seconds = seconds / ROUNDS_SHARED;
    sizes_replace(m, p->from, bytes, count, &p->again);
}

bool memory_lines_again_at(struct memory_lines *p, double bytes, struct err *err)
{
    p->only = bytes;
    return bytes <= p->from || probes_run(p, &p->again, INFINITY, err);
}

void memory_lines_again_take(struct memory_lines *p, struct memory_costs *m)
{
    memory_costs_clock(&p->again, p->clock_hz);
    costs_fill(p, &p->again);
    *m = p->again;
}

static bool number(const char *text, double least, double most, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= least && *out <= most;
}

/* Returns the cost named @name; MEMORY_COSTS if there is none. */
static enum memory_cost cost_named(const char *name)
{
    enum memory_cost cost = 0;

    while (cost < MEMORY_COSTS && strcmp(name, memory_cost_name(cost)) != 0)
        cost++;
    return cost;
}

/* Reads a row of the file. Returns false if it is damaged. Ignores a row of an unknown cost. The
 * rows of a cost have ascending sizes, and all costs have the same sizes. */
static bool row_take(const struct kept_rows *kept, size_t row, struct memory_costs *out,
                     size_t filled[MEMORY_COSTS])
{
    const enum memory_cost cost = cost_named(kept_field(kept, row, MEMORY_KEPT_FACT));
    double bytes, cycles, spread;

    if (cost == MEMORY_COSTS)   /* A row with another name has a value that does not depend on the
                                 * size. */
        return true;
    if (filled[cost] == MEMORY_SIZES ||
        !number(kept_field(kept, row, MEMORY_KEPT_BYTES), 1024, 1e13, &bytes) ||
        !number(kept_field(kept, row, MEMORY_KEPT_VALUE), 0, 1e6, &cycles) ||
        !number(kept_field(kept, row, MEMORY_KEPT_SPREAD), 0, 1e3, &spread) ||
        !number(kept_field(kept, row, MEMORY_KEPT_CLOCK), 1e6, 1e11, &out->clock_hz))
        return false;
    size_t k = filled[cost]++;
    if (cost == 0)
        out->bytes[out->count++] = bytes;
    else if (k >= out->count || out->bytes[k] != bytes)
        return false;
    if (k && !(bytes > out->bytes[k - 1]))
        return false;
    out->cycles[cost][k] = cycles;
    out->spread[cost] = spread;
    snprintf(out->day, sizeof out->day, "%s", kept_field(kept, row, MEMORY_KEPT_DAY));
    return true;
}

bool memory_lines_recall(const struct machine *m, struct memory_costs *out)
{
    size_t filled[MEMORY_COSTS] = {0};
    struct kept_rows kept;
    bool ok = true;

    *out = (struct memory_costs){.first = system_size(_SC_LEVEL1_DCACHE_SIZE, L1_USUAL),
                                 .second = system_size(_SC_LEVEL2_CACHE_SIZE, L2_USUAL),
                                 .overlaps = fact_switch(m, "transfers_overlap"),
                                 .reads_wait = fact_switch(m, "reads_wait"),
                                 .measured = true,
                                 .huge = NAN};
    kept_read(&memory_kept, &kept);
    for (size_t i = 0; ok && i < kept.rows.count; i++)
        ok = row_take(&kept, i, out, filled);
    for (size_t i = 0; ok && i < MEMORY_COSTS; i++)
        ok = out->count > 1 && filled[i] == out->count;
    if (ok)
        out->third = memory_third_seen(out);
    kept_done(&kept);
    return ok;
}

static bool is_cost(const char *const fields[KEPT_COLUMNS])
{
    return cost_named(fields[MEMORY_KEPT_FACT]) != MEMORY_COSTS;
}

void memory_lines_remember(struct memory_costs *m)
{
    struct kept_writer w;
    char bytes[32], cycles[32], spread[32], clock[32];

    kept_today(m->day);
    kept_replace(&w, &memory_kept, is_cost);
    snprintf(clock, sizeof clock, "%.6g", m->clock_hz);
    for (enum memory_cost cost = 0; cost < MEMORY_COSTS; cost++)
        for (size_t k = 0; k < m->count; k++) {
            snprintf(bytes, sizeof bytes, "%.0f", m->bytes[k]);
            snprintf(cycles, sizeof cycles, "%.5g", m->cycles[cost][k]);
            snprintf(spread, sizeof spread, "%.4g", m->spread[cost]);
            kept_add(&w, (const char *[KEPT_COLUMNS]){[MEMORY_KEPT_DAY] = m->day,
                                                      [MEMORY_KEPT_FACT] = memory_cost_name(cost),
                                                      [MEMORY_KEPT_VALUE] = cycles,
                                                      [MEMORY_KEPT_UNIT] = "cycles",
                                                      [MEMORY_KEPT_BYTES] = bytes,
                                                      [MEMORY_KEPT_SPREAD] = spread,
                                                      [MEMORY_KEPT_CLOCK] = clock});
        }
    kept_write(&w, "costs of memory");
}
