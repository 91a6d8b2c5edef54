/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast_parts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "throughput/predict.h"
#include "work/job.h"

void forecast_free(struct forecast *f)
{
    if (!f || atomic_fetch_sub(&f->holders, 1) > 0)
        return;
    machine_free(f->machine);
    experiments_free(f->table);
    prediction_free(f->made);
    prediction_free(f->fresh);
    free(f);
}

void forecast_forget(struct forecast *f)
{
    if (f->job)
        job_cancel(f->job);
    forecast_free(f);
}

void forecasts_free(struct forecasts *f)
{
    for (size_t i = 0; f && i < f->count; i++)
        forecast_forget(f->items[i]);
    if (f)
        vec_done(f);
    free(f);
}

struct prediction *prediction_hold(struct prediction *p)
{
    atomic_fetch_add(&p->holders, 1);
    return p;
}

void prediction_free(struct prediction *p)
{
    if (!p || atomic_fetch_sub(&p->holders, 1) > 0)
        return;
    free(p->cycles);
    free(p);
}

/* Collects the rows with a measured and a predicted value for the heat map, and finds the row with
 * the largest error. */
static void look_at_errors(struct prediction *p, const struct experiments *t, double *predicted,
                           double *measured)
{
    double highest = -1;
    size_t n = 0;

    for (size_t i = 0; i < p->rows; i++) {
        if (!experiments_measured(t, i) || isnan(p->cycles[i]))
            continue;
        double cycles = t->rows.items[i].cycles, error = fabs(p->cycles[i] - cycles) / cycles;
        predicted[n] = p->cycles[i];
        measured[n++] = cycles;
        if (error > highest) {
            highest = error;
            p->worst = i;
        }
    }
    metrics_heat_map(predicted, measured, n, 0, &p->map);
}

struct prediction *prediction_make(const struct machine *m, const struct experiments *t,
                                   struct err *err)
{
    size_t rows = t->rows.count, bytes = (rows + 1) * sizeof(double);
    struct prediction *p = mem_zero(1, sizeof *p);
    double *pairs = mem_try_alloc(2 * bytes);

    p->rows = rows;
    p->cycles = pairs ? mem_try_alloc(bytes) : NULL;
    bool ok = p->cycles || err_memory_for(err, "predictions", 3 * bytes);
    if (ok)
        machine_predict(m, t, p->cycles);
    ok = ok && watch_goes_on(err);
    if (ok) {
        p->accuracy = metrics_accuracy(t, p->cycles);
        look_at_errors(p, t, pairs, pairs + rows);
    }
    free(pairs);
    if (ok && watch_goes_on(err))
        return p;
    prediction_free(p);
    return NULL;
}
