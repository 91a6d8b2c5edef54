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
#include "isa/cpu.h"
#include "isa/foreign.h"
#include "measure/kept.h"
#include "measure/kernel_arrays.h"
#include "model/facts.h"

#define ROUNDS 2          /* over all loops and sizes, */
#define ROUNDS_MOST 4     /* and this many over those whose lowest time no other confirms */
#define CONFIRMED 1.04    /* times the lowest */
#define PATIENCE 2        /* times the time of all rounds, for those */
#define ODD_LINES 3       /* apart, of COST_ODD: all sets of a cache hold a third of the arrays */
#define L1_USUAL 32768.0
#define L2_USUAL 1048576.0

/* The loop of each cost, and its lines per iteration: of its kind, and in order besides, of
 * indices. */
static const struct { enum memory_loop loop; double lines, ordered; } probes[MEMORY_COSTS] = {
    [COST_LOAD] = {LOOP_LOADS, 2, 0},
    [COST_STORE] = {LOOP_STORES, 1, 0},
    [COST_UPDATE] = {LOOP_UPDATES, 1, 0},
    [COST_CONCURRENT] = {LOOP_TRIAD, 2, 0},
    [COST_STREAMED] = {LOOP_STREAMED, 1, 0},
    [COST_RANDOM] = {LOOP_GATHER, 4, 0.25},
    [COST_PAIRED] = {LOOP_PAIRED, 4, 0},
    [COST_ODD] = {LOOP_ODD, 4, 0},
    [COST_SKIPPED] = {LOOP_SKIPPED, 4, 0},
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

uint64_t memory_available(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");

    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %llu", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib << 10;
}

/* Sizes around those where levels may end; ascending. */
static void sizes_choose(struct memory_costs *out)
{
    const double sizes[] = {1.5 * out->first,   out->second / 4,    out->second / 2,
                            0.75 * out->second, out->second,        1.5 * out->second,
                            3 * out->second,    8 * out->second,    (double)(32 << 20),
                            (double)(80 << 20), (double)(192 << 20)};

    out->count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!out->count || sizes[i] > 1.2 * out->bytes[out->count - 1])
            out->bytes[out->count++] = sizes[i];
}

struct lines_probing {
    struct sandbox *sandbox;
    struct arena_state arena;
    const struct kernel *kernels[MEMORY_COSTS];
    struct streams streams[MEMORY_COSTS];
    struct kernel_arrays runs[MEMORY_COSTS];
    double cycles[MEMORY_COSTS][MEMORY_SIZES][ROUNDS_MOST];   /* of each loop; ascending */
    unsigned rounds[MEMORY_COSTS][MEMORY_SIZES];
    double clock_hz;
};

static bool probes_begin(struct lines_probing *p, struct err *err)
{
    sandbox_clear(p->sandbox);
    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        size_t count;
        p->kernels[i] = kernel_from_hex(
            isa_host(),
            isa_ops(isa_host())->foreign->memory_loop(probes[i].loop, cpu_vector_bits()), err);
        if (!p->kernels[i])
            return false;
        const struct insn *insns = kernel_insns(p->kernels[i], 0, &count);
        streams_find(insns, count, &p->streams[i]);
        if (!kernel_arrays_begin(&p->runs[i], p->sandbox, &p->arena, insns, count, err))
            return false;
    }
    return true;
}

/* Bytes of the arrays of which a cache holds @bytes at a time, or of which a region has them. */
static double arrays_bytes(const struct lines_probing *p, size_t at, double bytes)
{
    return at == COST_ODD           ? ODD_LINES * bytes
           : probes[at].ordered > 0 ? bytes * bytes / memory_region(&p->streams[at], bytes)
                                    : bytes;
}

static bool probe_fits(const struct lines_probing *p, size_t at, double bytes)
{
    return arrays_bytes(p, at, bytes) + LAYOUT_SLACK <= (double)MEMORY_LINES_ARENA;
}

static bool probe_run(struct lines_probing *p, size_t at, size_t k, double bytes, double seconds,
                      struct err *err)
{
    struct arrays arrays;
    struct arrays_measured m;
    size_t count;
    const struct insn *insns = kernel_insns(p->kernels[at], 0, &count);

    if (!layout_arrays(insns, &p->streams[at], (uint64_t)arrays_bytes(p, at, bytes), &arrays,
                       err) ||
        !kernel_arrays_measure(&p->runs[at], &arrays, seconds, &m, err))
        return false;
    p->cycles[at][k][p->rounds[at][k]++] = m.cycles;
    qsort(p->cycles[at][k], p->rounds[at][k], sizeof m.cycles, compare_doubles);
    p->clock_hz = m.clock_hz;
    return true;
}

/* The lowest time that another one confirms, since others only make it longer; where none does, the
 * lowest. *@apart: how far those two are apart, relative. */
static double lowest(const double *cycles, unsigned count, double *apart)
{
    unsigned at = 0;

    while (at + 1 < count && cycles[at + 1] > CONFIRMED * cycles[at])
        at++;
    at = at + 1 < count ? at : 0;
    *apart = count > 1 ? cycles[at + 1] / cycles[at] - 1 : 0;
    return cycles[at];
}

/* Those with a pattern of their own one size after the other, so that it is filled in once. */
static bool probes_run(struct lines_probing *p, const struct memory_costs *sizes, double seconds,
                       struct err *err)
{
    const double each = seconds / (double)(ROUNDS * MEMORY_COSTS * sizes->count),
                 until = clock_seconds() + PATIENCE * seconds;
    double apart;

    for (unsigned round = 0; round < ROUNDS_MOST; round++)
        for (size_t i = 0; i < MEMORY_COSTS; i++) {
            const bool filled = i == COST_RANDOM || i == COST_HOP;
            for (size_t k = 0; k < sizes->count && !(filled && round); k++)
                for (unsigned again = filled ? 0 : round;
                     again < (filled ? ROUNDS_MOST : round + 1); again++) {
                    lowest(p->cycles[i][k], p->rounds[i][k], &apart);
                    if (again >= ROUNDS && (apart <= CONFIRMED - 1 || clock_seconds() > until))
                        continue;
                    if (probe_fits(p, i, sizes->bytes[k]) &&
                        !probe_run(p, i, k, sizes->bytes[k], each, err))
                        return false;
                }
        }
    return true;
}

/* Loops were measured: the parts of other lines are subtracted from each. */
static void costs_fill(const struct lines_probing *p, struct memory_costs *out)
{
    double spreads[MEMORY_SIZES];

    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        size_t count = 0;
        for (size_t k = 0; k < out->count; k++)
            if (p->rounds[i][k]) {
                out->cycles[i][k] = lowest(p->cycles[i][k], p->rounds[i][k], &spreads[count]);
                count++;
            }
        qsort(spreads, count, sizeof *spreads, compare_doubles);
        out->spread[i] = count ? spreads[count / 2] : NAN;
    }
    /* Behind a core's own caches no loop is quicker over larger arrays: a smaller size that seems
     * to be slower was disturbed. */
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        for (size_t k = out->count; k-- > 1 && out->bytes[k - 1] > out->second;)
            if (p->rounds[i][k])
                out->cycles[i][k - 1] = fmin(out->cycles[i][k - 1], out->cycles[i][k]);
    for (size_t k = 0; k < out->count; k++)
        for (size_t i = 0; i < MEMORY_COSTS; i++) {
            double other = i == COST_CONCURRENT ? out->cycles[COST_STORE][k]
                                                : probes[i].ordered * out->cycles[COST_LOAD][k];
            out->cycles[i][k] = fmax(0, out->cycles[i][k] - other) / probes[i].lines;
        }
    for (size_t k = 0; k < out->count; k++) {
        /* A line next to a written one takes no longer than alone; the difference of two disturbed
         * times may suggest otherwise. */
        out->cycles[COST_CONCURRENT][k] =
            fmin(out->cycles[COST_CONCURRENT][k], out->cycles[COST_LOAD][k]);
        /* arrays for which there is no room: as every fourth line grows */
        for (size_t i = 0; k && i < MEMORY_COSTS; i++)
            if (!p->rounds[i][k])
                out->cycles[i][k] = out->cycles[i][k - 1] * out->cycles[COST_SKIPPED][k] /
                                    out->cycles[COST_SKIPPED][k - 1];
    }
}

bool memory_lines_measure(double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct memory_costs *out, struct err *err)
{
    struct lines_probing p = {0};

    *out = (struct memory_costs){.first = system_size(_SC_LEVEL1_DCACHE_SIZE, L1_USUAL),
                                 .second = system_size(_SC_LEVEL2_CACHE_SIZE, L2_USUAL),
                                 .measured = true};
    sizes_choose(out);
    p.sandbox = sandbox_new(-1, err);
    if (!p.sandbox)
        return false;
    sandbox_cancel_by(p.sandbox, cancelled, state);
    bool ok = sandbox_arena(p.sandbox, MEMORY_LINES_ARENA, huge, err) && probes_begin(&p, err) &&
              probes_run(&p, out, seconds, err);
    out->clock_hz = p.clock_hz;
    out->huge = ok ? sandbox_arena_huge(p.sandbox) : NAN;
    if (ok)
        costs_fill(&p, out);
    out->third = ok ? memory_third_seen(out) : 0;
    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        streams_done(&p.streams[i]);
        kernel_free(p.kernels[i]);
    }
    sandbox_free(p.sandbox);
    return ok;
}

/* A number of the file, within what such a number can be; false otherwise. */
static bool number(const char *text, double least, double most, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= least && *out <= most;
}

/* Of a cost's name; MEMORY_COSTS: of none. */
static enum memory_cost cost_named(const char *name)
{
    enum memory_cost cost = 0;

    while (cost < MEMORY_COSTS && strcmp(name, memory_cost_name(cost)) != 0)
        cost++;
    return cost;
}

/* Takes one row over; false when it is damaged. Rows of a cost are in the order of sizes, all costs
 * have the same ones. */
static bool row_take(const struct kept_rows *kept, size_t row, struct memory_costs *out,
                     size_t filled[MEMORY_COSTS])
{
    const enum memory_cost cost = cost_named(kept_field(kept, row, MEMORY_KEPT_FACT));
    double bytes, cycles, spread;

    if (cost == MEMORY_COSTS)   /* what is not by size */
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
    kept_write(&w, "what memory costs");
}
