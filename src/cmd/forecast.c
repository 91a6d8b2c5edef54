/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "throughput/predict.h"
#include "work/job.h"

#define KEPT 8   /* forecasts: as many machines as are looked at side by side */

/* Of one table, known by its serial number, and one machine; held by the session and by the job that makes it. */
struct forecast {
    uint64_t serial, revision;
    size_t rows;
    struct machine *machine;      /* held: unchanged as long as it is the session's */
    struct experiments *table;    /* held while the job runs, so unchanged */
    double *cycles, *fresh;       /* as published; as the job makes them */
    struct accuracy accuracy, fresh_accuracy;
    bool made;
    unsigned job;                 /* 0: none runs */
    _Atomic unsigned holders;     /* besides the one that asked for it */
};

struct forecasts {
    struct forecast *items[KEPT];   /* the last asked for first */
    size_t count;
};

static void forecast_free(struct forecast *f)
{
    if (!f || atomic_fetch_sub(&f->holders, 1) > 0)
        return;
    machine_free(f->machine);
    experiments_free(f->table);
    free(f->cycles);
    free(f->fresh);
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

static bool forecast_run(struct job *job, void *state, struct err *err)
{
    struct forecast *f = state;

    (void)job;
    if (!(f->fresh = mem_try_alloc((f->rows + 1) * sizeof *f->fresh)))
        return err_memory_for(err, "predictions", (f->rows + 1) * sizeof *f->fresh);
    machine_predict(f->machine, f->table, f->fresh);
    if (watch_goes_on(err))
        f->fresh_accuracy = metrics_accuracy(f->table, f->fresh);
    return watch_goes_on(err);
}

static void forecast_finish(void *state, const struct job_info *info)
{
    struct forecast *f = state;

    f->job = 0;
    if (info->state == JOB_DONE) {
        free(f->cycles);
        f->cycles = f->fresh;
        f->fresh = NULL;
        f->accuracy = f->fresh_accuracy;
        f->made = true;
    }
    free(f->fresh);
    f->fresh = NULL;
    experiments_free(f->table);
    f->table = NULL;
}

static void forecast_release(void *state)
{
    forecast_free(state);
}

static void start(struct forecast *f, struct experiments *t)
{
    static const struct job_ops ops = {forecast_run, forecast_finish, forecast_release};
    struct err none = {0};

    f->revision = t->revision;
    f->table = experiments_hold(t);
    atomic_fetch_add(&f->holders, 1);
    f->job = job_start_aside("predictions", &ops, f, &none);
    if (!f->job) {
        experiments_free(f->table);
        f->table = NULL;
    }
}

/* That of @m for table @t, begun when there is none; it becomes the first. */
static struct forecast *find(struct forecasts *all, struct machine *m, struct experiments *t)
{
    size_t i = 0;

    while (i < all->count && (all->items[i]->machine != m || all->items[i]->serial != t->serial || all->items[i]->rows != t->rows.count))
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
        start(f, t);
    } else if (!f->job && f->revision != t->revision) {
        start(f, t);
    }
    memmove(all->items + 1, all->items, i * sizeof(struct forecast *));
    all->items[0] = f;
    return f;
}

bool session_forecast(struct session *s, struct machine *m, double *cycles, struct accuracy *accuracy)
{
    struct experiments *t = s->document.experiments;

    if (!s->interactive || t->rows.count <= FORECAST_AT_ONCE) {
        machine_predict(m, t, cycles);
        *accuracy = metrics_accuracy(t, cycles);
        return true;
    }
    if (!s->document.forecasts)
        s->document.forecasts = mem_zero(1, sizeof *s->document.forecasts);
    const struct forecast *f = find(s->document.forecasts, m, t);
    *accuracy = f->made ? f->accuracy : (struct accuracy){0};
    if (f->made)
        memcpy(cycles, f->cycles, f->rows * sizeof *cycles);
    for (size_t i = 0; !f->made && i < f->rows; i++)
        cycles[i] = NAN;
    return f->made;
}
