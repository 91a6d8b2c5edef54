/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/kernel_analyze.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/watch.h"
#include "cmd/machine_set.h"

#define ABREAST 6   /* maximum number of machines per table in text */

struct outcome {
    double cycles;
    enum bound_kind bottleneck;
    bool lower_bound, estimate;
};

struct all_loops {
    const struct kernel *kernel;
    struct machine_set machines;
    struct outcome *outcomes;      /* per loop, one outcome per machine */
};

/* Adds a table for text: a row per loop, a column per machine from @from to before @to. */
static void add_table(const struct all_loops *w, size_t from, size_t to, struct result *result)
{
    struct result_column columns[ABREAST + 4] = {
        {.key = "loop", .kind = CELL_COUNT, .width = 5},
        {.key = "instructions", .title = "insns", .kind = CELL_COUNT},
        {.key = "first_line", .title = "line", .kind = CELL_COUNT}};
    size_t count = 3, machines = w->machines.list.count;
    char text[32];

    for (size_t i = from; i < to; i++)
        columns[count++] = (struct result_column){
            .key = w->machines.list.items[i]->id, .kind = CELL_TEXT, .width = 8};
    columns[count++] = (struct result_column){.key = "why", .title = "", .kind = CELL_TEXT};
    struct result_table *t = result_table(result, "cycles", columns, count);
    t->hide = NOT_CSV | NOT_JSON;
    for (size_t l = 0; l < w->kernel->loop_count; l++) {
        const struct kernel_loop *loop = &w->kernel->loops[l];
        cell_count(t, (int64_t)l + 1);
        cell_count(t, (int64_t)loop->count);
        cell_count_if(t, loop->first_line, loop->first_line);
        for (size_t i = from; i < to; i++) {
            const struct outcome *o = &w->outcomes[l * machines + i];
            snprintf(text, sizeof text, "%s%.2f", cycles_sign(o->lower_bound, o->estimate),
                     o->cycles);
            cell_text(t, text);
        }
        cell_text(t, loop->why);
    }
}

/* Adds one row per loop and machine, for CSV and JSON. */
static void add_rows(const struct all_loops *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "loop", .kind = CELL_COUNT},         {.key = "instructions", .kind = CELL_COUNT},
        {.key = "first_line", .kind = CELL_COUNT},   {.key = "last_line", .kind = CELL_COUNT},
        {.key = "why", .kind = CELL_TEXT},           {.key = "machine", .kind = CELL_TEXT},
        {.key = "cycles", .kind = CELL_NUMBER},      {.key = "bottleneck", .kind = CELL_TEXT},
        {.key = "lower_bound", .kind = CELL_SWITCH}, {.key = "estimate", .kind = CELL_SWITCH},
    };
    struct result_table *t = RESULT_TABLE(result, "loops", columns);
    size_t machines = w->machines.list.count;

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    for (size_t k = 0; k < w->kernel->loop_count * machines; k++) {
        const struct kernel_loop *loop = &w->kernel->loops[k / machines];
        const struct outcome *o = &w->outcomes[k];
        cell_count(t, (int64_t)(k / machines) + 1);
        cell_count(t, (int64_t)loop->count);
        cell_count(t, loop->first_line);
        cell_count(t, loop->last_line);
        cell_text(t, loop->why);
        cell_text(t, w->machines.list.items[k % machines]->id);
        cell_number(t, o->cycles);
        cell_text(t, bound_name(o->bottleneck));
        cell_switch(t, o->lower_bound);
        cell_switch(t, o->estimate);
    }
}

static bool all_work(struct all_loops *w, struct result *result, struct err *err)
{
    size_t machines = w->machines.list.count, count = w->kernel->loop_count * machines;

    w->outcomes = mem_try_alloc(count * sizeof *w->outcomes);
    if (!w->outcomes)
        return err_memory_for(err, "the analyses", count * sizeof *w->outcomes);
    for (size_t k = 0; k < count && !watch_over(); k++) {
        watch_at("analyses", (double)k, (double)count);
        struct analysis *a =
            analysis_new(w->kernel, k / machines, w->machines.list.items[k % machines]);
        w->outcomes[k] = (struct outcome){a->cycles, a->bottleneck, a->lower_bound, a->estimate};
        analysis_free(a);
    }
    if (!watch_goes_on(err))
        return false;
    result_line(result, "%s: cycles per iteration of %zu loop%s", w->kernel->name,
                w->kernel->loop_count, plural(w->kernel->loop_count));
    for (size_t from = 0; from < machines; from += ABREAST) {
        result_line(result, "\n");
        add_table(w, from, from + ABREAST < machines ? from + ABREAST : machines, result);
    }
    add_rows(w, result);
    return true;
}

bool kernel_analyze_all(struct session *s, const struct word_list *machines, struct result *result,
                        struct err *err)
{
    if (!session_has_kernel(s, err) || (!machines->count && !session_shown_fit(s, err)))
        return false;
    struct all_loops w = {.kernel = s->document.kernel};
    bool ok =
        machine_set_find(s, machines, w.kernel->isa, &w.machines, err) && all_work(&w, result, err);
    free(w.outcomes);
    machine_set_done(&w.machines);
    return ok;
}
