/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "throughput/predict.h"
#include "work/evolve_job.h"

#define SAMPLES 4000
#define POINTS 256
/* maximum number of experiments to draw; of a larger table, a sample is drawn */
#define EXPERIMENTS_DRAWN 20000
#define OLDER_RUNS 3             /* maximum number of older runs drawn with the newest */

#define DRAWING_NAME(value, word, shows) word,
const char *const drawing_names[DRAWING_KINDS] = {DRAWINGS(DRAWING_NAME)};

struct drawing {
    struct figure figure;
    double *values[2 * FIGURE_SERIES];   /* x and y values of each series */
    size_t value_count;
    char title[160], x_label[140], labels[FIGURE_SERIES][24];
    /* counted references for the accuracy plot; drawing_prepare drops @table */
    struct experiments *table;
    struct machine *machine;
};

static double *add_values(struct drawing *d, size_t count)
{
    double *values = mem_alloc((count + 1) * sizeof *values);
    return d->values[d->value_count++] = values;
}

static void add_series(struct drawing *d, const char *label, const double *x, const double *y,
                       size_t n, bool points)
{
    d->figure.series[d->figure.series_count++] = (struct figure_series){label, x, y, n, points};
}

/* Adds the curves of the population's median and worst error. If experiments were added to the run
 * (@joined), also adds its current best error, which may then exceed the smallest error. */
static void add_moments(struct drawing *d, const struct evolve_sample *samples, const double *x,
                        size_t n, bool joined)
{
    double *median = add_values(d, n), *worst = add_values(d, n),
           *best = joined ? add_values(d, n) : NULL;

    for (size_t i = 0; i < n; i++) {
        median[i] = 100 * samples[i].d_median;
        worst[i] = 100 * samples[i].d_worst;
        if (best)
            best[i] = 100 * samples[i].d_best;
    }
    if (best)
        add_series(d, "current best", x, best, n, false);
    add_series(d, "median", x, median, n, false);
    add_series(d, "worst", x, worst, n, false);
}

static void take_curves(struct drawing *d, const struct session *s)
{
    struct evolve_sample *samples = mem_alloc(SAMPLES * sizeof *samples);

    for (size_t back = 0; back < s->document.run_count && back <= OLDER_RUNS &&
                          d->figure.series_count < FIGURE_SERIES;
         back++) {
        const struct evolve_run *run = s->document.runs[s->document.run_count - 1 - back];
        size_t n = evolve_get_samples(run->evolve, samples, SAMPLES);
        struct evolve_status status;
        evolve_get_status(run->evolve, &status);
        double *x = add_values(d, n), *reached = add_values(d, n);
        for (size_t i = 0; i < n; i++) {
            x[i] = samples[i].seconds;
            reached[i] = evolve_sample_drawn(&samples[i], status.joined > 0);
        }
        snprintf(d->labels[back], sizeof d->labels[back],
                 back ? "run %u, best so far" : "best so far", run->number);
        add_series(d, d->labels[back], x, reached, n, false);
        if (!back)
            add_moments(d, samples, x, n, status.joined > 0);
    }
    snprintf(d->title, sizeof d->title, "Evolution, run %u",
             s->document.runs[s->document.run_count - 1]->number);
    d->figure.x_label = "seconds";
    d->figure.y_label = "mean error, %";
    d->figure.log_y = true;
    free(samples);
}

static void take_front(struct drawing *d, const struct session *s)
{
    const struct evolve_run *run = s->document.runs[s->document.run_count - 1];
    struct evolve_point points[POINTS];
    size_t n = evolve_get_front(run->evolve, points, POINTS);
    double *x = add_values(d, n), *y = add_values(d, n);

    for (size_t i = 0; i < n; i++) {
        x[i] = (double)points[i].distinct;
        y[i] = 100 * points[i].d_avg;
    }
    add_series(d, "Pareto-optimal mappings", x, y, n, true);
    snprintf(d->title, sizeof d->title, "Error and simplicity, run %u", run->number);
    d->figure.x_label = "distinct µops";
    d->figure.y_label = "mean error, %";
}

static void take_sweep(struct drawing *d, const struct sweep *sweep)
{
    double *x = add_values(d, sweep->count), *bounds = add_values(d, sweep->count),
           *simulated = add_values(d, sweep->count);

    memcpy(x, sweep->values, sweep->count * sizeof *x);
    memcpy(bounds, sweep->bounds, sweep->count * sizeof *bounds);
    memcpy(simulated, sweep->simulated, sweep->count * sizeof *simulated);
    add_series(d, "bounds", x, bounds, sweep->count, false);
    add_series(d, "simulated", x, simulated, sweep->count, false);
    snprintf(d->title, sizeof d->title, "What if: %s", sweep->machine);
    snprintf(d->x_label, sizeof d->x_label, "%s", sweep->name);
    d->figure.x_label = d->x_label;
    d->figure.y_label = "cycles per iteration";
}

static bool take(struct drawing *d, struct session *s, enum drawing_kind kind, struct err *err)
{
    switch (kind) {
    case DRAWING_EVOLUTION:
    case DRAWING_FRONT:
        if (!s->document.run_count)
            return err_set(err, ERR_USAGE, "evolve start starts a run", "no inference run");
        (kind == DRAWING_FRONT ? take_front : take_curves)(d, s);
        return true;
    case DRAWING_ACCURACY:
        if (!s->document.experiments)
            return err_set(err, ERR_USAGE, "run experiments generate, or experiments load FILE",
                           "no experiments");
        struct machine *m = session_current(s, err);
        if (!m)
            return false;
        d->machine = machine_hold(m);
        d->table = experiments_hold(s->document.experiments);
        return true;
    default:
        if (!s->document.sweep.count)
            return err_set(err, ERR_USAGE, "use kernel whatif issue_width=1..8",
                           "no parameter was swept by kernel whatif");
        take_sweep(d, &s->document.sweep);
        return true;
    }
}

struct drawing *drawing_new(struct session *s, enum drawing_kind kind, struct err *err)
{
    struct drawing *d = mem_zero(1, sizeof *d);

    d->figure.name = drawing_names[kind];
    d->figure.title = d->title;
    if (take(d, s, kind, err))
        return d;
    drawing_free(d);
    return NULL;
}

bool drawing_prepare(struct drawing *d, struct err *err)
{
    if (!d->table)
        return true;
    const size_t rows = d->table->rows.count, bytes = (rows + 1) * sizeof(double);
    double *predicted = mem_try_alloc(bytes);
    if (!predicted)
        return err_memory_for(err, "the predictions", bytes);
    machine_predict(d->machine, d->table, predicted);
    size_t counted = 0, n = 0;
    for (size_t i = 0; i < rows; i++)
        counted += experiments_measured(d->table, i) && !isnan(predicted[i]);
    const size_t each = counted / EXPERIMENTS_DRAWN + 1;
    double *x = add_values(d, counted / each + 1), *y = add_values(d, counted / each + 1);
    for (size_t i = 0, at = 0; i < rows; i++) {
        if (!experiments_measured(d->table, i) || isnan(predicted[i]) || at++ % each)
            continue;
        x[n] = d->table->rows.items[i].cycles;
        y[n++] = predicted[i];
    }
    free(predicted);
    add_series(d, "experiments", x, y, n, true);
    snprintf(d->title, sizeof d->title, "%s, experiments: %zu%s", d->machine->title, n,
             each > 1 ? ", a sample" : "");
    d->figure.x_label = "measured cycles";
    d->figure.y_label = "predicted cycles";
    d->figure.diagonal = true;
    experiments_free(d->table);
    d->table = NULL;
    return watch_goes_on(err);
}

const struct figure *drawing_figure(const struct drawing *d)
{
    return &d->figure;
}

void drawing_free(struct drawing *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->value_count; i++)
        free(d->values[i]);
    experiments_free(d->table);
    machine_free(d->machine);
    free(d);
}
