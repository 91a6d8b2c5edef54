/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stage_log.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"

struct stage_log {
    _Atomic unsigned holders;    /* owners of the log besides its creator */
    char *name;
    pthread_mutex_t lock;
    /* The lock protects all members below. */
    struct stage_row rows[CHART_STAGES];
    double begun[CHART_STAGES], start;
    struct stage_point points[STAGE_POINTS];
    size_t count;
    double every;                /* seconds between two points */
};

struct stage_log *stage_log_new(const char *name)
{
    struct stage_log *l = mem_zero(1, sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    l->name = mem_strdup(name);
    l->start = clock_seconds();
    for (int i = 0; i < CHART_STAGES; i++)
        l->rows[i].share = NAN;
    return l;
}

struct stage_log *stage_log_hold(struct stage_log *l)
{
    atomic_fetch_add(&l->holders, 1);
    return l;
}

void stage_log_free(struct stage_log *l)
{
    if (!l || atomic_fetch_sub(&l->holders, 1) > 0)
        return;
    pthread_mutex_destroy(&l->lock);
    free(l->name);
    free(l);
}

/* Doubles the interval: keeps every second point. */
static void thin_out(struct stage_log *l)
{
    for (size_t i = 0; 2 * i < l->count; i++)
        l->points[i] = l->points[2 * i];
    l->count = (l->count + 1) / 2;
    l->every = fmax(2 * l->every, 0.5);
}

static void add_point(struct stage_log *l, double share)
{
    const double seconds = clock_seconds() - l->start;

    if (l->count && seconds - l->points[l->count - 1].seconds < l->every)
        return;
    if (l->count == STAGE_POINTS)
        thin_out(l);
    l->points[l->count++] = (struct stage_point){seconds, share};
}

static void begin(struct stage_log *l, enum chart_stage stage)
{
    if (l->rows[stage].state == CHARTING_WAITS)
        l->begun[stage] = clock_seconds();
    l->rows[stage].state = CHARTING_RUNS;
}

void stage_log_progress(struct stage_log *l, enum chart_stage stage, double done, double total,
                        const char *what)
{
    struct stage_row *row = &l->rows[stage];

    lock_take(&l->lock);
    begin(l, stage);
    row->share = total > 0 ? fmin(1, fmax(0, done / total)) : NAN;
    snprintf(row->what, sizeof row->what, "%s", what);
    if (!isnan(row->share))
        add_point(l, row->share);
    lock_give(&l->lock);
}

/* Writes the result of @stage to @text. */
static void tell(const struct chart *c, enum chart_stage stage, char *text, size_t room)
{
    const struct chart_tally t = chart_count(c);

    switch (stage) {
    case CHART_ALONE:
        snprintf(text, room, "%zu of %zu forms have a time", t.timed, c->form_count);
        break;
    case CHART_CORE: snprintf(text, room, "%zu experiments so far", c->table->rows.count); break;
    case CHART_PORTS:
        snprintf(text, room, "%u ports, %.0f issue slots; %zu forms, error %.2f %%",
                 c->machine ? mapping_ports(c->machine->mapping)->count : 0, c->width,
                 c->core_forms, 100 * c->core_error);
        break;
    case CHART_PLACES:
        snprintf(text, room, "%zu forms have a usage, %zu with confidence 0.9", t.usages, t.sure);
        break;
    case CHART_LATENCIES:
        snprintf(text, room, "%zu of %zu chains have a latency", t.latencies, c->latencies.count);
        break;
    case CHART_FACTS:
        snprintf(text, room, "%zu facts, %zu unknown", t.facts, c->facts.count - t.facts);
        break;
    default:
        if (c->review.blocks)
            snprintf(text, room, "%zu held-out blocks: error %.1f %%", c->review.blocks,
                     100 * c->review.error);
        else
            snprintf(text, room, "no blocks");
    }
}

void stage_log_done(struct stage_log *l, enum chart_stage stage, const struct chart *so_far)
{
    struct stage_row *row = &l->rows[stage];

    lock_take(&l->lock);
    begin(l, stage);
    row->state = CHARTING_DONE;
    row->seconds = clock_seconds() - l->begun[stage];
    row->share = 1;
    tell(so_far, stage, row->what, sizeof row->what);
    lock_give(&l->lock);
}

void stage_log_end(struct stage_log *l)
{
    lock_take(&l->lock);
    for (int i = 0; i < CHART_STAGES; i++)
        if (l->rows[i].state == CHARTING_RUNS) {
            l->rows[i].state = CHARTING_ENDED;
            l->rows[i].seconds = clock_seconds() - l->begun[i];
        }
    lock_give(&l->lock);
}

size_t stage_log_get(struct stage_log *l, const char **name, struct stage_row rows[CHART_STAGES],
                     struct stage_point points[STAGE_POINTS])
{
    lock_take(&l->lock);
    *name = l->name;
    for (int i = 0; i < CHART_STAGES; i++) {
        rows[i] = l->rows[i];
        if (rows[i].state == CHARTING_RUNS)
            rows[i].seconds = clock_seconds() - l->begun[i];
    }
    size_t count = l->count;
    for (size_t i = 0; i < count; i++)
        points[i] = l->points[i];
    lock_give(&l->lock);
    return count;
}
