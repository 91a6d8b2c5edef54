/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/memory_time.h"

#include <math.h>

#define REGIONS_SHARE 0.75   /* of the arrays, what gathers and chases have where others walk beside them */
#define SKIPS 1.01           /* lines of step per line that is used: from here on some are left out */

double memory_region(const struct streams *s, double bytes)
{
    bool walks = false;

    for (size_t i = 0; i < s->items.count; i++)
        walks |= s->items.items[i].kind == STREAM_WALK;
    return walks ? REGIONS_SHARE * bytes : bytes;
}

/* Bytes that all streams come to until one is where another was, @distance bytes ahead by steps of @step. */
static double reused_within(const struct streams *s, uint64_t distance, int64_t step)
{
    return (double)distance / fabs((double)step) * STREAM_LINE * streams_lines(s);
}

/* Of lines in long steps those a power of two of lines apart share fewer banks and sets: COST_SKIPPED is what four lines apart cost, odd numbers cost as lines in order do. */
static double skipped_cost(const struct memory_costs *m, double step, double bytes)
{
    double lines = fabs(step) / STREAM_LINE;
    double ordered = memory_cost_at(m, COST_LOAD, bytes), apart = fmod(lines, 4) == 0 ? 1 : fmod(lines, 2) == 0 ? 0.5 : 0;

    return ordered + fmax(0, memory_cost_at(m, COST_SKIPPED, bytes) - ordered) * apart;
}

/* What a written line costs more than one that is read. */
static double written_factor(const struct memory_costs *m, double bytes)
{
    double load = memory_cost_at(m, COST_LOAD, bytes);
    return load > 0 ? fmax(1, memory_cost_at(m, COST_STORE, bytes) / load) : 1;
}

static void part_add(struct memory_time *out, enum memory_limit part, double cycles, double within)
{
    out->parts[part] += cycles;
    out->within[part] = fmax(out->within[part], within);
}

static void stream_cost(const struct streams *s, const struct stream *one, const struct memory_costs *m, double bytes, double seq[2], struct memory_time *out)
{
    if (one->kind == STREAM_GATHER || one->kind == STREAM_CHASE) {
        double region = memory_region(s, bytes);
        if (one->kind == STREAM_CHASE)
            part_add(out, LIMIT_HOPS, fmax(0, one->hops * memory_cost_at(m, COST_HOP, region) - out->parts[LIMIT_HOPS]), region);
        else
            part_add(out, LIMIT_RANDOM, one->lines * memory_cost_at(m, COST_RANDOM, region) * (one->stores ? written_factor(m, region) : 1), region);
        out->lines += one->lines * (1 + (one->stores > 0 && region > m->first));
        return;
    }
    if (one->kind == STREAM_FIXED)
        return;
    if (one->non_temporal) {
        part_add(out, LIMIT_STREAMED, one->lines * memory_cost_at(m, COST_STREAMED, bytes), INFINITY);
        out->lines += one->lines;
        return;
    }
    /* A row behind another: its lines are as near as what was used since. */
    double from = one->follows == STREAM_ALONE ? bytes : fmin(bytes, reused_within(s, one->distance, one->step));
    out->lines += one->lines * (1 + (one->stores > 0 && from > m->first));
    if (fabs((double)one->step) > SKIPS * STREAM_LINE * one->lines) {
        part_add(out, LIMIT_SKIPPED, one->lines * skipped_cost(m, (double)one->step / one->lines, from), from);
    } else if (from < bytes) {
        part_add(out, LIMIT_LINES, one->lines * memory_cost_at(m, one->stores ? COST_STORE : COST_LOAD, from), from);
    } else {
        seq[one->stores > 0] += one->lines;
    }
}

struct memory_time memory_time_at(const struct streams *s, const struct memory_costs *m, double core, double own, double bytes)
{
    struct memory_time out = {.parts = {[LIMIT_CORE] = core}};
    double lines[2] = {0};   /* of streams that are read, that are written */

    for (size_t i = 0; i < s->items.count; i++)
        stream_cost(s, &s->items.items[i], m, bytes, lines, &out);
    double fetched = (lines[0] + lines[1]) * memory_cost_at(m, COST_LOAD, bytes);
    double written = lines[1] * memory_cost_at(m, COST_STORE, bytes) + lines[0] * memory_cost_at(m, COST_BESIDE, bytes);
    double ordered = lines[1] > 0 ? fmax(fetched, written) : fetched;
    /* The level of the larger share: of lines that come from where the arrays are, or of those that were used before. */
    part_add(&out, LIMIT_LINES, ordered, ordered > 0 && ordered >= out.parts[LIMIT_LINES] ? bytes : 0);

    double transfers = out.parts[LIMIT_LINES] + out.parts[LIMIT_STREAMED] + out.parts[LIMIT_RANDOM] + out.parts[LIMIT_SKIPPED];
    double memory = transfers > 0 && !m->overlaps ? own + transfers : transfers;
    out.cycles = fmax(fmax(core, memory), out.parts[LIMIT_HOPS]);
    out.limit = LIMIT_CORE;
    if (out.cycles > core) {
        out.limit = out.parts[LIMIT_HOPS] >= memory ? LIMIT_HOPS : LIMIT_LINES;
        for (enum memory_limit i = LIMIT_LINES; out.limit != LIMIT_HOPS && i < LIMIT_HOPS; i++)
            if (out.parts[i] > out.parts[out.limit])
                out.limit = i;
    }
    return out;
}

void memory_limit_print(const struct memory_time *t, const struct memory_costs *m, const char *core, struct str *out)
{
    static const char *const words[MEMORY_LIMITS] = {
        [LIMIT_LINES] = "bandwidth", [LIMIT_STREAMED] = "bandwidth (non-temporal)", [LIMIT_RANDOM] = "bandwidth (random)",
        [LIMIT_SKIPPED] = "bandwidth (strided)", [LIMIT_HOPS] = "latency"};

    if (t->limit == LIMIT_CORE)
        str_add(out, core);
    else
        str_addf(out, "%s %s", t->limit == LIMIT_STREAMED ? "memory" : memory_level_at(m, t->within[t->limit]), words[t->limit]);
}
