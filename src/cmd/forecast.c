/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/task.h"
#include "throughput/predict.h"
#include "work/job.h"

#define SHARE 10 /* while a job changes the table, forecasts use at most 1 / SHARE of the time */
#define KEPT 16  /* most forecasts; more machines are not displayed side by side */

/* Forecast of one machine for one table (by serial number). The session and the computing job share
 * it. */
struct forecast {
    uint64_t serial, revision;
    size_t rows;
    struct machine *machine;      /* counted reference, so its address identifies the machine */
    struct experiments *table;    /* counted reference while the job runs, which prevents changes */
    struct prediction *made, *fresh;   /* published prediction, and the one the job computes; NULL:
                                        * none */
    unsigned job;                 /* computing job; 0: none */
    double begun, due;               /* clock_seconds() of the job's start, and of the next possible
                                      * start */
    _Atomic unsigned holders;     /* number of holders in addition to the session */
};

struct forecasts {
    struct forecast *items[KEPT];   /* most recently requested first */
    size_t count;
};

static void forecast_free(struct forecast *f)
{
    if (!f || atomic_fetch_sub(&f->holders, 1) > 0)
        return;
    machine_free(f->machine);
    experiments_free(f->table);
    prediction_free(f->made);
    prediction_free(f->fresh);
    free(f);
}

static void forget(struct forecast *f)
{
    if (f->job)
        job_cancel(f->job);
    forecast_free(f);
}

void forecasts_free(struct forecasts *f)
{
    for (size_t i = 0; f && i < f->count; i++)
        forget(f->items[i]);
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

/* Collects for the heat map the rows that have both values, and finds the row with the largest
 * error. */
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

/* Predicts all rows. Any thread. Returns NULL with err if out of memory or cancelled. */
static struct prediction *predict(const struct machine *m, const struct experiments *t,
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

static bool forecast_work(void *state, struct result *result, struct err *err)
{
    struct forecast *f = state;

    (void)result;
    return (f->fresh = predict(f->machine, f->table, err)) != NULL;
}

static void forecast_failed(struct session *s, void *state, struct result *result,
                            const struct err *err)
{
    struct forecast *f = state;
    const double now = clock_seconds();

    (void)s;
    (void)result;
    (void)err;
    f->job = 0;
    f->due = now + (SHARE - 1) * (now - f->begun);
    prediction_free(f->fresh);
    f->fresh = NULL;
    experiments_free(f->table);
    f->table = NULL;
}

static bool forecast_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct forecast *f = state;

    prediction_free(f->made);
    f->made = f->fresh;
    f->fresh = NULL;
    forecast_failed(s, state, result, err);
    s->revision++; /* makes views request the forecast again */
    return true;
}

static void forecast_release(void *state)
{
    forecast_free(state);
}

/* Predicts a small table at once, and any table if no screen waits. Otherwise starts a job. */
static void start(struct session *s, struct forecast *f, struct experiments *t)
{
    static const struct task_ops ops = {.work = forecast_work,
                                        .publish = forecast_publish,
                                        .failed = forecast_failed,
                                        .free = forecast_release};
    struct err none = {0};

    f->revision = t->revision;
    if (!s->interactive || t->rows.count <= FORECAST_AT_ONCE) {
        prediction_free(f->made);
        f->made = predict(f->machine, t, &none);
        return;
    }
    f->begun = clock_seconds();
    f->table = experiments_hold(t);
    atomic_fetch_add(&f->holders, 1);
    f->job = task_start_aside(s, "predictions", &ops, f, &none);
    if (!f->job) {
        experiments_free(f->table);
        f->table = NULL;
    }
}

/* Finds or starts the forecast of @m for table @t, and moves it to the front of the list. */
static struct forecast *find(struct session *s, struct machine *m, struct experiments *t)
{
    struct forecasts *all = s->document.forecasts;
    size_t i = 0;

    while (i < all->count && (all->items[i]->machine != m || all->items[i]->serial != t->serial ||
                              all->items[i]->rows != t->rows.count))
        i++;
    struct forecast *f = i < all->count ? all->items[i] : NULL;
    if (!f) {
        f = mem_zero(1, sizeof *f);
        f->serial = t->serial;
        f->rows = t->rows.count;
        f->machine = machine_hold(m);
        if (all->count == KEPT)
            forget(all->items[--all->count]);
        i = all->count++;
        start(s, f, t);
    } else if (!f->job && f->revision != t->revision &&
               (!job_working(NULL) || clock_seconds() >= f->due)) {
        start(s, f, t);
    }
    memmove(all->items + 1, all->items, i * sizeof(struct forecast *));
    all->items[0] = f;
    return f;
}

struct prediction *session_forecast(struct session *s, struct machine *m)
{
    if (!s->document.forecasts)
        s->document.forecasts = mem_zero(1, sizeof *s->document.forecasts);
    const struct forecast *f = find(s, m, s->document.experiments);
    return f->made ? prediction_hold(f->made) : mem_zero(1, sizeof(struct prediction));
}

bool session_forecasting(const struct session *s, const struct machine *m)
{
    const struct forecasts *all = s->document.forecasts;

    for (size_t i = 0; all && i < all->count; i++)
        if (all->items[i]->machine == m && all->items[i]->job)
            return true;
    return false;
}
