/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/forecast_parts.h"
#include "cmd/session.h"
#include "cmd/task.h"
#include "work/job.h"

/* Largest share (1 / SHARE) of the time for forecasts while a job changes the table. */
#define SHARE 10

static bool forecast_work(void *state, struct result *result, struct err *err)
{
    struct forecast *f = state;

    return (f->fresh = prediction_make(f->machine, f->table, err)) != NULL;
}

static void forecast_failed(struct session *s, void *state, struct result *result,
                            const struct err *err)
{
    struct forecast *f = state;
    const double now = clock_seconds();

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
    s->revision++;
    return true;
}

static void forecast_release(void *state)
{
    forecast_free(state);
}

/* Starts a job for the predictions. Predicts at once if the table is small, or if no screen is
 * open. A view may request predictions of all selected machines, so the limit applies to their
 * total. */
static void start(struct session *s, struct forecast *f, struct experiments *t)
{
    static const struct task_ops ops = {NULL, forecast_work, forecast_publish, forecast_release,
                                        .failed = forecast_failed};
    struct err none = {0};

    f->revision = t->revision;
    if (!s->interactive || t->rows.count * s->document.selected_count <= FORECAST_AT_ONCE) {
        prediction_free(f->made);
        f->made = prediction_make(f->machine, t, &none);
        return;
    }
    f->begun = clock_seconds();
    f->table = experiments_hold(t);
    atomic_fetch_add(&f->holders, 1);
    f->job = task_start_aside(s, "predictions", &(struct task){&ops, .state = f}, &none);
    if (!f->job) {
        experiments_free(f->table);
        f->table = NULL;
    }
}

/* Returns whether forecast @f is of table @t and of a selected machine in its current state. A view
 * may request all of these with each drawing. */
static bool is_needed(const struct session *s, const struct forecast *f,
                      const struct experiments *t)
{
    const struct document *d = &s->document;
    bool current = false, selected = false;

    for (size_t i = 0; i < d->machine_count; i++)
        current |= d->machines[i] == f->machine;
    for (size_t i = 0; i < d->selected_count; i++)
        selected |= strcmp(d->selected[i], f->machine->id) == 0;
    return current && selected && f->serial == t->serial && f->rows == t->rows.count;
}

/* Keeps the FORECASTS_KEPT most recently requested forecasts of those that are not needed. */
static void forget_old(const struct session *s, const struct experiments *t)
{
    struct forecasts *all = s->document.forecasts;
    size_t unneeded = 0, kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        struct forecast *f = all->items[i];
        if (is_needed(s, f, t) || unneeded++ < FORECASTS_KEPT)
            all->items[kept++] = f;
        else
            forecast_forget(f);
    }
    all->count = kept;
}

/* Returns the forecast of @m for table @t, moved to the front of the list. Starts a missing
 * forecast, and restarts an old one when it is due. */
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
        forget_old(s, t);
        i = all->count;
        vec_push(all, f);
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
