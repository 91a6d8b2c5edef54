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
#include "base/compare.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "measure/baseline.h"
#include "measure/kernel_arrays.h"

#define FILE_NAME "memory.csv"
#define ROUNDS 2          /* over all loops and sizes */
#define L1_USUAL 32768.0
#define L2_USUAL 1048576.0

/* Lines per iteration of the loops of measure/kernel_arrays.h: of their kind, and in order beside them, of indices. */
static const struct { double lines, ordered; } probes[MEMORY_COSTS] = {
    [COST_LOAD] = {2, 0}, [COST_STORE] = {1, 0}, [COST_BESIDE] = {1, 0}, [COST_STREAMED] = {1, 0}, [COST_RANDOM] = {4, 0.25}, [COST_SKIPPED] = {4, 0}, [COST_HOP] = {4, 0},
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
    const double sizes[] = {1.5 * out->first, out->second / 8,  out->second / 4,   out->second / 2,   0.75 * out->second, out->second, 1.5 * out->second,
                            3 * out->second,   8 * out->second, (double)(32 << 20), (double)(96 << 20), (double)(256 << 20)};

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
};

static bool probes_begin(struct lines_probing *p, struct err *err)
{
    sandbox_clear(p->sandbox);
    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        size_t count;
        p->kernels[i] = kernel_from_hex(isa_host(), kernel_arrays_loop((enum memory_cost)i), err);
        if (!p->kernels[i])
            return false;
        const struct insn *insns = kernel_insns(p->kernels[i], 0, &count);
        streams_find(insns, count, &p->streams[i]);
        if (!kernel_arrays_begin(&p->runs[i], p->sandbox, &p->arena, insns, count, err))
            return false;
    }
    return true;
}

static bool probe_run(struct lines_probing *p, size_t at, double bytes, double seconds, struct arrays_measured *out, struct err *err)
{
    struct arrays arrays;
    size_t count;
    const struct insn *insns = kernel_insns(p->kernels[at], 0, &count);
    double all = probes[at].ordered > 0 ? bytes * bytes / memory_region(&p->streams[at], bytes) : bytes;   /* so that the region has @bytes */

    return layout_arrays(insns, &p->streams[at], (uint64_t)all, &arrays, err) && kernel_arrays_measure(&p->runs[at], &arrays, seconds, out, err);
}

bool memory_lines_measure(double seconds, bool huge, bool overlaps, bool (*cancelled)(void *state), void *state, struct memory_costs *out, struct err *err)
{
    struct lines_probing p = {0};
    double spreads[MEMORY_SIZES], clock = 0;

    *out = (struct memory_costs){.first = system_size(_SC_LEVEL1_DCACHE_SIZE, L1_USUAL), .second = system_size(_SC_LEVEL2_CACHE_SIZE, L2_USUAL), .overlaps = overlaps, .measured = true};
    if (!kernel_arrays_loop(COST_LOAD))
        return err_set(err, ERR_MISSING, NULL, "no loops are there that measure memory on %s", isa_name(isa_host()));
    sizes_choose(out);
    p.sandbox = sandbox_new(-1, err);
    if (!p.sandbox)
        return false;
    sandbox_cancel_by(p.sandbox, cancelled, state);
    bool ok = sandbox_arena(p.sandbox, MEMORY_LINES_ARENA, huge, err) && probes_begin(&p, err);
    const double each = seconds / (double)(ROUNDS * MEMORY_COSTS * out->count);
    for (unsigned round = 0; ok && round < ROUNDS; round++)
        for (size_t i = 0; ok && i < MEMORY_COSTS; i++) {
            for (size_t k = 0; ok && k < out->count; k++) {
                struct arrays_measured m;
                ok = probe_run(&p, i, out->bytes[k], each, &m, err);
                if (!ok)
                    break;
                /* Others only make it slower. */
                spreads[k] = round ? fabs(m.cycles / out->cycles[i][k] - 1) : 0;
                out->cycles[i][k] = round ? fmin(m.cycles, out->cycles[i][k]) : m.cycles;
                clock = m.clock_hz;
            }
            qsort(spreads, out->count, sizeof *spreads, compare_doubles);
            out->spread[i] = spreads[out->count / 2];
        }
    out->clock_hz = clock;
    out->huge = ok ? sandbox_arena_huge(p.sandbox) : NAN;
    for (size_t k = 0; ok && k < out->count; k++) {
        /* What was measured are loops: the parts of their lines in order are taken off. */
        for (size_t i = 0; i < MEMORY_COSTS; i++)
            out->cycles[i][k] = fmax(0, out->cycles[i][k] - (i == COST_BESIDE ? out->cycles[COST_STORE][k] : probes[i].ordered * out->cycles[COST_LOAD][k])) / probes[i].lines;
    }
    out->third = ok ? memory_third_seen(out) : 0;
    for (size_t i = 0; i < MEMORY_COSTS; i++) {
        streams_done(&p.streams[i]);
        kernel_free(p.kernels[i]);
    }
    sandbox_free(p.sandbox);
    return ok;
}

enum lines_column { CPU, SIGNATURE, MICROCODE, DAY, CLOCK, OVERLAPS, COST, BYTES, CYCLES, SPREAD, COLUMNS };
static const char *const names[COLUMNS] = {"cpu", "signature", "microcode", "date", "clock_hz", "overlaps", "cost", "bytes", "cycles", "spread"};

/* The table, NULL when there is none that can be read. */
static struct csv_table *table_read(const char *path, int columns[COLUMNS])
{
    struct err err = {0};
    struct csv_table *t = path ? csv_table_read(path, &err) : NULL;
    bool whole = t != NULL;

    for (int c = 0; whole && c < COLUMNS; c++) {
        columns[c] = csv_table_column(t, names[c]);
        whole &= columns[c] >= 0;
    }
    if (whole)
        return t;
    csv_table_free(t);
    return NULL;
}

static bool row_is(char *const *row, const int columns[COLUMNS], const struct str identity[3])
{
    for (int c = CPU; c <= MICROCODE; c++)
        if (strcmp(row[columns[c]], str_text(&identity[c])) != 0)
            return false;
    return true;
}

static void identity_done(struct str identity[3])
{
    for (int c = CPU; c <= MICROCODE; c++)
        str_done(&identity[c]);
}

/* A number of the file, within what such a number can be; false otherwise. */
static bool number(const char *text, double least, double most, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= least && *out <= most;
}

/* Takes one row over; false when it is damaged. Rows of a cost are in the order of sizes, all costs have the same ones. */
static bool row_take(char *const *row, const int columns[COLUMNS], struct memory_costs *out, size_t filled[MEMORY_COSTS])
{
    double bytes, cycles, spread;
    size_t cost = 0;

    while (cost < MEMORY_COSTS && strcmp(row[columns[COST]], memory_cost_name((enum memory_cost)cost)) != 0)
        cost++;
    if (cost == MEMORY_COSTS || filled[cost] == MEMORY_SIZES || !number(row[columns[BYTES]], 1024, 1e13, &bytes) || !number(row[columns[CYCLES]], 0, 1e6, &cycles) ||
        !number(row[columns[SPREAD]], 0, 1e3, &spread) || !number(row[columns[CLOCK]], 1e6, 1e11, &out->clock_hz))
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
    out->overlaps = strcmp(row[columns[OVERLAPS]], "no") != 0;
    snprintf(out->day, sizeof out->day, "%s", row[columns[DAY]]);
    return true;
}

bool memory_lines_recall(struct memory_costs *out)
{
    struct str identity[3] = {{0}};
    int columns[COLUMNS];
    size_t filled[MEMORY_COSTS] = {0};
    char *path = path_state(FILE_NAME);
    struct csv_table *t = table_read(path, columns);
    bool ok = t != NULL;

    *out = (struct memory_costs){.first = system_size(_SC_LEVEL1_DCACHE_SIZE, L1_USUAL), .second = system_size(_SC_LEVEL2_CACHE_SIZE, L2_USUAL), .measured = true, .huge = NAN};
    baseline_identity(&identity[CPU], &identity[SIGNATURE], &identity[MICROCODE]);
    for (size_t i = 0; ok && i < t->count; i++)
        if (row_is(t->rows[i], columns, identity))
            ok = row_take(t->rows[i], columns, out, filled);
    for (size_t i = 0; ok && i < MEMORY_COSTS; i++)
        ok = out->count > 1 && filled[i] == out->count;
    if (ok)
        out->third = memory_third_seen(out);
    csv_table_free(t);
    identity_done(identity);
    free(path);
    return ok;
}

void memory_lines_remember(struct memory_costs *m)
{
    struct str identity[3] = {{0}}, text = {0};
    struct err err = {0};
    int columns[COLUMNS];
    char *path = path_state(FILE_NAME), why[512];

    baseline_today(m->day);
    if (!path)
        return;
    baseline_identity(&identity[CPU], &identity[SIGNATURE], &identity[MICROCODE]);
    struct csv_table *t = table_read(path, columns);
    for (int c = 0; c < COLUMNS; c++)
        csv_add_field(&text, names[c], c == COLUMNS - 1);
    for (size_t i = 0; t && i < t->count; i++)
        for (int c = 0; c < COLUMNS && !row_is(t->rows[i], columns, identity); c++)
            csv_add_field(&text, t->rows[i][columns[c]], c == COLUMNS - 1);
    for (size_t cost = 0; cost < MEMORY_COSTS; cost++)
        for (size_t k = 0; k < m->count; k++) {
            for (int c = CPU; c <= MICROCODE; c++)
                csv_add_field(&text, str_text(&identity[c]), false);
            str_addf(&text, "%s,%.6g,%s,%s,%.0f,%.5g,%.4g\n", m->day, m->clock_hz, m->overlaps ? "yes" : "no", memory_cost_name((enum memory_cost)cost), m->bytes[k], m->cycles[cost][k],
                     m->spread[cost]);
        }
    if (!path_make_parents(path, 0777, &err) || !file_write(path, text.data, text.length, &err))
        log_add(LOG_WARN, "cannot save what memory costs: %s", err_text(&err, why, sizeof why));
    csv_table_free(t);
    str_done(&text);
    identity_done(identity);
    free(path);
}
