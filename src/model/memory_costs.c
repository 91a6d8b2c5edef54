/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory_costs.h"

#include <math.h>

#include "model/facts.h"

#define LINE 64.0
/* ratio of array size to cache size above which all lines of a walk miss */
#define EDGE 1.25
#define LARGEST 4294967296.0

const char *memory_cost_name(enum memory_cost cost)
{
    static const char *const names[MEMORY_COSTS] = {
        "load",    "alone",  "store", "update",  "beside", "streamed", "copied",
        "random", "single", "scatter", "paired", "odd", "skipped", "every16", "every64",
        "store8", "store64", "page", "hop", "few", "some"};
    return names[cost];
}

double memory_crowding(double step, double most)
{
    double factor = 1;

    step = rint(step);
    while (step > LINE && factor < most / LINE && fmod(step, 2 * factor * LINE) == 0)
        factor *= 2;
    return factor;
}

bool memory_cost_shared(const struct memory_costs *m, enum memory_cost cost, double bytes)
{
    return bytes > m->second || cost == COST_STREAMED || cost == COST_COPIED;
}

/* Returns the cost beyond the last size. For measured random accesses and hops, the share of hits
 * falls with 1 / size. For other costs, returns the cost of the last size. */
static double beyond(const struct memory_costs *m, enum memory_cost cost, double bytes)
{
    const size_t last = m->count - 1;
    const double *at = m->bytes, *cycles = m->cycles[cost];

    if (!m->measured || (cost != COST_RANDOM && cost != COST_SINGLE && cost != COST_SCATTER &&
                         cost != COST_HOP))
        return cycles[last];
    return cycles[last] + fmax(0, cycles[last] - cycles[last - 1]) * (1 / at[last] - 1 / bytes) /
                              (1 / at[last - 1] - 1 / at[last]);
}

static double between(const struct memory_costs *m, enum memory_cost cost, double bytes)
{
    const double *at = m->bytes, *cycles = m->cycles[cost];
    size_t i = 0;

    while (i < m->count && at[i] < bytes)
        i++;
    if (i == 0 || m->count == 1)
        return cycles[0];
    if (i == m->count)
        return beyond(m, cost, bytes);
    return cycles[i - 1] +
           (cycles[i] - cycles[i - 1]) * log(bytes / at[i - 1]) / log(at[i] / at[i - 1]);
}

double memory_together(double core, double wait)
{
    return cbrt(core * core * core + wait * wait * wait);
}

double memory_wait_in(double both, double core)
{
    return cbrt(fmax(0, both * both * both - core * core * core));
}

double memory_cost_at(const struct memory_costs *m, enum memory_cost cost, double bytes)
{
    if (!m->count)
        return NAN;
    /* These costs are times of a complete loop; other costs are times of lines beyond the
     * first-level cache. */
    if (cost == COST_STREAMED || cost == COST_COPIED || cost == COST_FEW || cost == COST_SOME)
        return between(m, cost, bytes);
    if (bytes <= m->first)
        return 0;
    double part = fmin(1, (bytes / m->first - 1) / (EDGE - 1));
    return part * between(m, cost, fmax(bytes, EDGE * m->first));
}

void memory_costs_clock(struct memory_costs *m, double hz)
{
    if (!(hz > 0) || !(m->clock_hz > 0))
        return;
    for (enum memory_cost cost = 0; cost < MEMORY_COSTS; cost++)
        for (size_t k = 0; k < m->count; k++)
            if (memory_cost_shared(m, cost, m->bytes[k]))
                m->cycles[cost][k] *= hz / m->clock_hz;
    m->clock_hz = hz;
}

static void size_add(struct memory_costs *out, double bytes, double line, double written,
                     double streamed, double miss, double latency)
{
    size_t i = out->count++;

    out->bytes[i] = bytes;
    out->cycles[COST_LOAD][i] = out->cycles[COST_ALONE][i] = out->cycles[COST_CONCURRENT][i] = line;
    out->cycles[COST_STORE][i] = out->cycles[COST_UPDATE][i] = written;
    /* Non-temporal stores write to memory, independent of the level of the lines. */
    out->cycles[COST_STREAMED][i] = streamed;
    out->cycles[COST_COPIED][i] = line + streamed;
    static const enum memory_cost misses[] = {COST_RANDOM, COST_SINGLE, COST_SCATTER, COST_PAIRED,
                                              COST_ODD, COST_SKIPPED, COST_EVERY_16,
                                              COST_EVERY_64, COST_STORE_8, COST_STORE_64};
    for (size_t k = 0; k < sizeof misses / sizeof *misses; k++)
        out->cycles[misses[k]][i] = miss;
    out->cycles[COST_HOP][i] = latency;
}

bool memory_costs_of(const struct machine *m, struct memory_costs *out, struct err *err)
{
    double clock = fact_number(m, "clock"), bandwidth = fact_number(m, "memory_bandwidth");

    *out = (struct memory_costs){.first = fact_number(m, "l1_bytes"),
                                 .second = fact_number(m, "l2_bytes"),
                                 .third = fact_number(m, "l3_bytes"),
                                 .clock_hz = 1e9 * clock,
                                 .overlaps = fact_switch(m, "transfers_overlap"),
                                 .reads_wait = fact_switch(m, "reads_wait")};
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        out->spread[i] = NAN;
    if (isnan(out->first) || isnan(out->second) || isnan(bandwidth) || isnan(clock) ||
        isnan(fact_number(m, "memory_latency")))
        return err_set(err, ERR_MISSING,
                       "run machine calibrate --memory on this CPU; help facts lists the facts of "
                       "caches and memory",
                       "facts about the caches and the memory of %s are missing", m->id);
    const double write = fact_number(m, "line_write"), far = LINE / bandwidth * clock,
                 wait = fact_number(m, "memory_latency") * clock, far_written = far * write,
                 far_miss = fmax(far, wait / fact_number(m, "miss_parallel")),
                 second = fact_number(m, "l2_latency"), l2 = fact_number(m, "l2_line_cycles"),
                 l2_write = fact_number(m, "l2_write_cycles"),
                 /* The third-level cache must not cost more than main memory, whose cost may be a
                  * smaller fact. */
                 l3 = fmin(fact_number(m, "l3_line_cycles"), far),
                 l3_write = fmin(fact_number(m, "l3_write_cycles"), far_written),
                 l3_miss = fmin(fact_number(m, "l3_miss_cycles"), far_miss);
    size_add(out, EDGE * out->first, l2, l2_write, far, fact_number(m, "l2_miss_cycles"), second);
    size_add(out, out->second, l2, l2_write, far, fact_number(m, "l2_miss_cycles"), second);
    if (!isnan(out->third)) {
        size_add(out, EDGE * out->second, l3, l3_write, far, l3_miss, fact_number(m, "l3_latency"));
        size_add(out, out->third, l3, l3_write, far, l3_miss, fact_number(m, "l3_latency"));
    } else {
        out->third = 0;
    }
    double last = EDGE * fmax(out->second, out->third);
    size_add(out, last, far, far_written, far, far_miss, wait);
    size_add(out, fmax(2 * last, LARGEST), far, far_written, far, far_miss, wait);
    return true;
}

const char *memory_level_at(const struct memory_costs *m, double bytes)
{
    return bytes <= m->first                   ? "L1"
           : bytes <= m->second                ? "L2"
           : m->third > 0 && bytes <= m->third ? "L3"
           : m->third > 0                      ? "memory"
                                               : "L3 or memory";
}

double memory_third_seen(const struct memory_costs *m)
{
    size_t from = 0;

    while (from < m->count && m->bytes[from] < 2 * m->second)
        from++;
    if (from + 1 >= m->count)
        return 0;
    double near = m->cycles[COST_RANDOM][from], far = m->cycles[COST_RANDOM][m->count - 1];
    for (size_t i = from; far > 1.5 * near && i < m->count; i++)
        if (m->cycles[COST_RANDOM][i] > (near + far) / 2)
            return m->bytes[i - (i > from)];
    return 0;
}
