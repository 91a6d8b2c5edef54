/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/stage_log.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"

struct stage_log {
    _Atomic unsigned holders; /* number of references in addition to the creator's */
    char *title;
    pthread_mutex_t lock;
    /* The lock protects the following members. */
    /* state at the last update; stage_log_get adds the durations of running stages */
    struct stage_view now;
    double begun[CHART_STAGES], start;
    double every; /* shortest interval between two points, in seconds */
    struct stage_mapping *mapping; /* latest mapping; NULL: none yet */
};

struct stage_log *stage_log_new(const char *title, const char *curve)
{
    struct stage_log *l = mem_zero(1, sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    l->title = mem_strdup(title);
    l->start = clock_seconds();
    l->now.title = l->title;
    l->now.curve = curve;
    l->now.step.share = NAN;
    for (int i = 0; i < CHART_STAGES; i++)
        l->now.rows[i].share = NAN;
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
    stage_mapping_free(l->mapping);
    free(l->title);
    free(l);
}

/* Drops every second point and doubles the interval. */
static void thin_out(struct stage_log *l)
{
    struct stage_view *v = &l->now;

    for (size_t i = 0; 2 * i < v->point_count; i++)
        v->points[i] = v->points[2 * i];
    v->point_count = (v->point_count + 1) / 2;
    l->every = fmax(2 * l->every, 0.5);
}

static void add_point(struct stage_log *l, double share)
{
    const double seconds = clock_seconds() - l->start;
    struct stage_view *v = &l->now;

    if (v->point_count && seconds - v->points[v->point_count - 1].seconds < l->every)
        return;
    if (v->point_count == STAGE_POINTS)
        thin_out(l);
    v->points[v->point_count++] = (struct stage_point){seconds, share};
}

static double share_of(double done, double total)
{
    return total > 0 ? fmin(1, fmax(0, done / total)) : NAN;
}

static void begin(struct stage_log *l, enum chart_stage stage)
{
    if (l->now.rows[stage].state == CHARTING_WAITS)
        l->begun[stage] = clock_seconds();
    l->now.rows[stage].state = CHARTING_RUNS;
    l->now.charts = l->now.runs = true;
}

void stage_log_progress(struct stage_log *l, enum chart_stage stage, double done, double total,
                        const char *what)
{
    struct stage_row *row = &l->now.rows[stage];

    lock_take(&l->lock);
    begin(l, stage);
    row->share = share_of(done, total);
    snprintf(row->what, sizeof row->what, "%s", what);
    if (!isnan(row->share))
        add_point(l, row->share);
    lock_give(&l->lock);
}

/* Writes a summary of @stage's result to @text. */
static void tell(const struct chart *c, enum chart_stage stage, char *text, size_t room)
{
    const struct chart_tally t = chart_count(c);

    switch (stage) {
    case CHART_ALONE:
        snprintf(text, room, "forms with a stable time: %zu of %zu", t.timed, c->form_count);
        break;
    case CHART_CORE:
        snprintf(text, room, "%zu experiment%s so far", c->table->rows.count,
                 plural(c->table->rows.count));
        break;
    case CHART_PORTS:
        snprintf(text, room, "%u ports, %.0f issue slots; %zu form%s, error %.2f %%",
                 c->machine ? mapping_ports(c->machine->mapping)->count : 0, c->width,
                 c->core_forms, plural(c->core_forms), 100 * c->core_error);
        break;
    case CHART_PLACES:
        snprintf(text, room, "%zu form%s %s a usage, %zu with confidence 0.9 or more", t.usages,
                 plural(t.usages), t.usages == 1 ? "has" : "have", t.sure);
        break;
    case CHART_LATENCIES:
        snprintf(text, room, "chains with a latency: %zu of %zu", t.latencies, c->latencies.count);
        break;
    case CHART_FACTS:
        snprintf(text, room, "%zu fact%s, %zu unknown", t.facts, plural(t.facts),
                 c->facts.count - t.facts);
        break;
    default:
        if (c->review.blocks)
            snprintf(text, room, "%zu held-out blocks: mean error %.1f %%", c->review.blocks,
                     100 * c->review.error);
        else
            snprintf(text, room, "no held-out blocks");
    }
}

void stage_log_done(struct stage_log *l, enum chart_stage stage, const struct chart *so_far)
{
    struct stage_row *row = &l->now.rows[stage];

    lock_take(&l->lock);
    begin(l, stage);
    row->state = CHARTING_DONE;
    row->seconds = clock_seconds() - l->begun[stage];
    row->share = 1;
    tell(so_far, stage, row->what, sizeof row->what);
    lock_give(&l->lock);
}

void stage_log_step(struct stage_log *l, double done, double total, double share, const char *what)
{
    struct stage_row *row = &l->now.step;

    lock_take(&l->lock);
    l->now.runs = true;
    row->state = CHARTING_RUNS;
    row->share = share_of(done, total);
    snprintf(row->what, sizeof row->what, "%s", what);
    if (!isnan(share))
        add_point(l, share);
    lock_give(&l->lock);
}

void stage_log_list(struct stage_log *l, enum stage_list list, const char *title,
                    const struct stage_finding *rows, size_t count)
{
    lock_take(&l->lock);
    l->now.lists[list].count = count < STAGE_FINDINGS ? count : STAGE_FINDINGS;
    snprintf(l->now.lists[list].title, sizeof l->now.lists[list].title, "%s", title);
    memcpy(l->now.lists[list].rows, rows, l->now.lists[list].count * sizeof *rows);
    lock_give(&l->lock);
}

void stage_log_mapping(struct stage_log *l, const struct mapping *m, const struct experiments *t)
{
    struct stage_mapping *before = stage_log_mapped(l),
                         *now = stage_mapping_new(m, t, before);

    stage_mapping_free(before);
    lock_take(&l->lock);
    before = l->mapping;
    l->mapping = now;
    lock_give(&l->lock);
    stage_mapping_free(before);
}

struct stage_mapping *stage_log_mapped(struct stage_log *l)
{
    lock_take(&l->lock);
    struct stage_mapping *now = l->mapping ? stage_mapping_hold(l->mapping) : NULL;
    lock_give(&l->lock);
    return now;
}

void stage_log_end(struct stage_log *l)
{
    lock_take(&l->lock);
    if (l->now.runs)
        l->now.seconds = clock_seconds() - l->start;
    l->now.runs = false;
    for (int i = 0; i < CHART_STAGES; i++)
        if (l->now.rows[i].state == CHARTING_RUNS) {
            l->now.rows[i].state = CHARTING_ENDED;
            l->now.rows[i].seconds = clock_seconds() - l->begun[i];
        }
    if (l->now.step.state == CHARTING_RUNS)
        l->now.step.state = CHARTING_DONE;
    lock_give(&l->lock);
}

void stage_log_get(struct stage_log *l, struct stage_view *out)
{
    lock_take(&l->lock);
    *out = l->now;
    for (int i = 0; i < CHART_STAGES; i++)
        if (out->rows[i].state == CHARTING_RUNS)
            out->rows[i].seconds = clock_seconds() - l->begun[i];
    if (out->runs)
        out->seconds = clock_seconds() - l->start;
    lock_give(&l->lock);
}
