/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/effects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/change.h"
#include "model/facts.h"

#define STEP 0.01          /* relative change of a property, up and down */
#define NOTHING 5e-4       /* elasticity and relative change of time below which a property has no
                            * effect */

struct probing_effects {
    struct estimator *estimator;
    const struct machine *machine;
    double seconds;
    struct effects *out;
};

double effects_time_with(struct estimator *e, const struct machine *m, const char *key,
                         double value)
{
    struct machine *changed = machine_copy(m);
    struct program_time time = {.cycles = 0};
    struct err err = {0};
    char text[40];

    snprintf(text, sizeof text, "%.12g", value);
    bool ok =
        machine_change(changed, key, text, &err) && estimator_time(e, changed, NULL, &time, &err);
    double seconds = ok ? time.seconds : NAN;
    program_time_done(&time);
    machine_free(changed);
    return seconds;
}

static double time_with_pipes(const struct probing_effects *p, enum op_class class, int more,
                              double latency, double interval)
{
    struct pipe_change change = {class, more, latency, interval};
    struct program_time time = {.cycles = 0};
    struct err err = {0};
    double seconds =
        estimator_time(p->estimator, p->machine, &change, &time, &err) ? time.seconds : NAN;
    program_time_done(&time);
    return seconds;
}

static void probe_fact(const struct probing_effects *p, const char *key)
{
    const struct fact *f = fact_find(key);
    double value = fact_number(p->machine, key);

    if (!(value > 0) || isinf(value))
        return;
    /* An integer property changes by at least one. */
    double step = f->type == FACT_WHOLE ? fmax(1, rint(STEP * value)) : STEP * value,
           above = value + step, below = value - step;
    struct effect effect = {.name = mem_strdup(key), .value = value};
    double up = effects_time_with(p->estimator, p->machine, key, above),
           down = effects_time_with(p->estimator, p->machine, key, below);
    effect.elasticity = !isnan(up) && !isnan(down) ? log(up / down) / log(above / below)
                        : !isnan(up)               ? log(up / p->seconds) / log(above / value)
                        : !isnan(down)             ? log(p->seconds / down) / log(value / below)
                                                   : NAN;
    effect.halved = effects_time_with(p->estimator, p->machine, key,
                                      f->type == FACT_WHOLE ? floor(value / 2) : value / 2) /
                    p->seconds;
    effect.doubled = effects_time_with(p->estimator, p->machine, key, 2 * value) / p->seconds;
    vec_push(&p->out->list, effect);
}

/* Finds the effects of the latency, the interval and the number of the pipes of @class. */
static void probe_pipes(const struct probing_effects *p, const struct pipe_kind *kinds,
                        enum op_class class)
{
    static const char *const parts[] = {"latency", "interval", "count"};

    /* Skips the latency of OP_LOAD, because the latency of loads follows from facts. */
    for (int part = class == OP_LOAD; part < 3; part++) {
        struct effect effect = {.value = part == 0   ? kinds[class].latency
                                         : part == 1 ? kinds[class].interval
                                                     : kinds[class].count};
        struct str name = {0};
        double n = kinds[class].count, up, down;
        str_addf(&name, "%s.%s", op_class_name(class), parts[part]);
        effect.name = str_take(&name);
        up = time_with_pipes(p, class, part == 2, part == 0 ? 1 + STEP : 0,
                             part == 1 ? 1 + STEP : 0);
        down = part == 2 ? p->seconds
                         : time_with_pipes(p, class, 0, part == 0 ? 1 - STEP : 0,
                                           part == 1 ? 1 - STEP : 0);
        effect.elasticity =
            log(up / down) / (part == 2 ? log((n + 1) / n) : log((1 + STEP) / (1 - STEP)));
        effect.halved =
            (part == 2 ? NAN
                       : time_with_pipes(p, class, 0, part == 0 ? 0.5 : 0, part == 1 ? 0.5 : 0)) /
            p->seconds;
        effect.doubled = time_with_pipes(p, class, part == 2 ? (int)n : 0, part == 0 ? 2 : 0,
                                         part == 1 ? 2 : 0) /
                         p->seconds;
        vec_push(&p->out->list, effect);
    }
}

static int by_elasticity(const void *a, const void *b)
{
    double x = fabs(((const struct effect *)a)->elasticity),
           y = fabs(((const struct effect *)b)->elasticity);
    return (x < y) - (x > y);
}

static bool changes_nothing(const struct effect *effect)
{
    double far = fmax(isnan(effect->halved) ? 0 : fabs(effect->halved - 1),
                      isnan(effect->doubled) ? 0 : fabs(effect->doubled - 1));
    return fabs(effect->elasticity) < NOTHING && far < NOTHING;
}

/* Removes properties without effect. Returns their number. */
static size_t drop_idle(struct effects *effects)
{
    size_t kept = 0, count = effects->list.count;

    for (size_t i = 0; i < count; i++)
        if (changes_nothing(&effects->list.items[i]))
            free(effects->list.items[i].name);
        else
            effects->list.items[kept++] = effects->list.items[i];
    effects->list.count = kept;
    return count - kept;
}

bool effects_find(struct estimator *e, const struct machine *m, enum estimate_model kind,
                  double seconds, effects_progress progress, void *state, struct effects *out,
                  size_t *idle)
{
    static const char *const keys[] = {
        "clock",           "issue_width",     "retire_width",    "reorder_buffer",
        "scheduler",       "load_latency",    "branch_miss",     "miss_parallel",
        "l1_bytes",        "l1_ways",         "l2_bytes",        "l2_ways",
        "l2_latency",      "l2_line_cycles",  "l2_write_cycles", "l2_miss_cycles",
        "l3_bytes",        "l3_ways",         "l3_latency",      "l3_line_cycles",
        "l3_write_cycles", "l3_miss_cycles",  "memory_latency",  "memory_bandwidth",
        "tlb_pages",       "page_walk_cycles", "page_fault_user"};
    const struct probing_effects p = {e, m, seconds, out};
    struct pipe_kind kinds[OP_CLASSES];
    struct err ignored;

    *out = (struct effects){{0}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (progress && !progress(state, (double)i, sizeof keys / sizeof *keys, keys[i]))
            return false;
        probe_fact(&p, keys[i]);
    }
    if (kind == ESTIMATE_AMMP && ammp_pipes(m, kinds, &ignored))
        for (unsigned class = 0; class < OP_CALL; class++)
            probe_pipes(&p, kinds, (enum op_class)class);
    if (out->list.count)
        qsort(out->list.items, out->list.count, sizeof *out->list.items, by_elasticity);
    *idle = drop_idle(out);
    return true;
}

void effects_done(struct effects *effects)
{
    for (size_t i = 0; i < effects->list.count; i++)
        free(effects->list.items[i].name);
    vec_done(&effects->list);
}
