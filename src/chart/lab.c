/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/lab.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

#define SHOWN_EVERY 0.5 /* shortest interval in seconds between two displayed mappings */

struct lab_run {
    struct lab *lab;
    size_t first;     /* index of the run's first row in the lab's table */
    double *expected; /* expected cycles of each row of the run */
};

size_t lab_ask(struct lab *lab, const struct flat_term *terms, size_t n)
{
    return experiments_add(lab->table, terms, n);
}

void lab_expect(struct lab *lab, size_t row, double cycles)
{
    if (row < lab->measured)
        BUG("row %zu is already measured", row);
    vec_push(&lab->expected, ((struct lab_expected){row, cycles}));
}

double lab_cycles(const struct lab *lab, size_t row)
{
    return experiments_measured(lab->table, row) ? lab->table->rows.items[row].cycles : NAN;
}

bool lab_show_due(const struct lab *lab)
{
    return lab->hooks->mapping && clock_seconds() >= lab->shown + SHOWN_EVERY;
}

void lab_show(struct lab *lab, const struct mapping *m)
{
    lab->hooks->mapping(lab->hooks->state, m, lab->table);
    lab->shown = clock_seconds();
}

bool lab_goes_on(const struct lab *lab, struct err *err)
{
    return !lab->hooks->cancelled(lab->hooks->state) ||
           err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
}

static bool cancelled(void *state)
{
    const struct chart_hooks *hooks = ((struct lab_run *)state)->lab->hooks;
    return hooks->cancelled(hooks->state);
}

static double expected(void *state, size_t index)
{
    return ((struct lab_run *)state)->expected[index];
}

static void take_result(void *state, size_t index, const struct measured *m)
{
    struct lab_run *run = state;
    experiments_set(run->lab->table, run->first + index, m->cycles, m->spread, m->repeats,
                    m->state);
}

static void show_progress(void *state, const struct runner_summary *so_far, size_t total)
{
    struct lab *lab = ((struct lab_run *)state)->lab;
    lab->hooks->progress(lab->hooks->state, lab->stage, (double)(so_far->done + so_far->failed),
                         (double)total, lab->what);
}

bool lab_measure(struct lab *lab, const char *what, struct err *err)
{
    struct lab_run run = {.lab = lab, .first = lab->measured};
    const struct runner_options options = {.one_length = true, .patience = lab->options->patience};
    const struct runner_hooks hooks = {.cancelled = cancelled,
                                       .result = take_result,
                                       .progress = show_progress,
                                       .state = &run,
                                       .expected = expected};
    struct runner_summary summary = {0};

    lab->what = what;
    if (lab->measured == lab->table->rows.count)
        return lab_goes_on(lab, err);
    struct experiments *asked = experiments_new();
    for (size_t i = lab->measured; i < lab->table->rows.count; i++) {
        struct experiment e;
        experiments_get(lab->table, i, &e);
        experiments_add_named(asked, &e);
        experiment_done(&e);
    }
    run.expected = mem_alloc(asked->rows.count * sizeof *run.expected);
    for (size_t i = 0; i < asked->rows.count; i++)
        run.expected[i] = NAN;
    for (size_t i = 0; i < lab->expected.count; i++)
        run.expected[lab->expected.items[i].row - run.first] = lab->expected.items[i].cycles;
    vec_done(&lab->expected);
    bool ok =
        runner_run(lab->cpu->source, asked, lab->options->journal, &options, &hooks, &summary, err);
    lab->measured = lab->table->rows.count;
    lab->resumed += (unsigned)summary.reused;
    experiments_free(asked);
    free(run.expected);
    return ok && lab_goes_on(lab, err);
}

void lab_done(struct lab *lab)
{
    vec_done(&lab->expected);
}
