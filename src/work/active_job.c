/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/active_job.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/watch.h"
#include "infer/select.h"
#include "io/experiments_file.h"
#include "measure/cpu_source.h"
#include "measure/runner.h"
#include "work/crew.h"
#include "work/job.h"

#define KEEP_SECONDS 1.0     /* minimum seconds between two writes of the table during measuring */

struct active_curve {
    pthread_mutex_t lock;
    VEC(struct active_round) rounds;
};

struct active {
    struct active_options o;
    struct experiments *table;
    struct problem *problem;     /* problem of the whole table, made after the last round */
    struct forms *forms;         /* forms of this CPU; NULL: simulated or replayed */
    struct source *source;
    struct journal *journal;
    double begun, kept;
    bool unkept;                 /* whether a write failed and the failure was reported */
    void (*finish)(void *state, struct active_outcome *out, bool ok);
    void *state;
};

struct active_curve *active_curve_new(void)
{
    struct active_curve *c = mem_zero(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void active_curve_free(struct active_curve *c)
{
    if (!c)
        return;
    vec_done(&c->rounds);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

size_t active_curve_get(struct active_curve *c, struct active_round *out, size_t limit)
{
    lock_take(&c->lock);
    size_t n = c->rounds.count;
    for (size_t i = 0; i < n && i < limit; i++)
        out[i] = c->rounds.items[i];
    lock_give(&c->lock);
    return n;
}

/* Writes the table, because it must outlive the program. Later measurements are in the journal.
 * Does nothing without a file. Logs the first failure. */
static void keep(struct active *a)
{
    struct err err;

    a->kept = clock_seconds();
    if (!a->o.keep || experiments_save(a->table, a->o.keep, &err) || a->unkept)
        return;
    a->unkept = true;
    log_add(LOG_WARN, "cannot write %s: results are only in memory and in the journal", a->o.keep);
}

static void take_result(void *state, size_t index, const struct measured *m)
{
    struct active *a = state;
    experiments_set(a->table, index, m->cycles, m->spread, m->repeats, m->state);
    if (clock_seconds() - a->kept >= KEEP_SECONDS)
        keep(a);
}

static void show_progress(void *state, const struct runner_summary *so_far, size_t total)
{
    job_progress((double)(so_far->done + so_far->failed), (double)total,
                 "%zu to measure, %.0f passes/s", so_far->left, so_far->rate);
}

static bool measure(struct experiments *t, void *state, struct err *err)
{
    struct active *a = state;
    const struct runner_options options = {0};
    const struct runner_hooks hooks = {
        .cancelled = job_cancelled, .result = take_result, .progress = show_progress, .state = a};
    struct runner_summary summary;

    if (a->o.record)
        return replay_measure(t, a->o.record, err) && watch_goes_on(err);
    /* The runner reads a copy, because results are added to the table meanwhile. */
    struct experiments *copy = experiments_copy(t, NULL);
    keep(a);
    bool ok = runner_run(a->source, copy, a->journal, &options, &hooks, &summary, err);
    keep(a);
    experiments_free(copy);
    return ok;
}

static void report(void *state, const struct select_round *round, const struct mapping *best)
{
    struct active *a = state;
    lock_take(&a->o.curve->lock);
    vec_push(&a->o.curve->rounds, ((struct active_round){*round, clock_seconds() - a->begun}));
    lock_give(&a->o.curve->lock);
    job_progress((double)round->measurements, (double)a->o.select.most, "%zu measured",
                 round->measurements);
}

static void poll_round(void *state, struct evolve *e)
{
    if (job_cancelled(NULL))
        evolve_stop(e);
}

static bool run(void *state, struct err *err)
{
    struct active *a = state;
    bool ok = true;

    a->begun = clock_seconds();
    if (!a->o.simulated && !a->o.record)
        ok = (a->forms = forms_load(isa_host(), NULL, err)) != NULL &&
             (!a->o.journal || (a->journal = journal_open(a->o.journal, err)) != NULL);
    if (ok && !a->o.record)
        a->source =
            a->o.simulated
                ? source_simulated(a->o.simulated, a->o.noise, a->o.select.evolve.seed)
                : source_cpu(a->forms, a->o.cpu, 0, &crew_threads, job_cancelled, NULL, err);
    ok = ok && (a->source || a->o.record);
    a->o.select.record = a->o.record;
    a->o.select.poll = poll_round;
    a->o.select.poll_state = a;
    if (ok) {
        struct mapping *best = select_run(a->table, &a->o.select, measure, a, report, a, err);
        ok = best && (a->problem = problem_new(a->table, NULL, err)) != NULL;
        mapping_free(best);
    }
    source_free(a->source);
    journal_close(a->journal);
    return ok;
}

static void finish(void *state, const struct job_info *info)
{
    struct active *a = state;
    struct active_outcome out = {a->table, a->problem};
    a->finish(a->state, &out, info->state == JOB_DONE);
    a->table = out.table;
    a->problem = out.problem;
}

void active_options_done(struct active_options *o)
{
    mapping_free(o->simulated);
    experiments_free(o->record);
    free(o->journal);
    free(o->keep);
}

static void done(void *state)
{
    struct active *a = state;
    experiments_free(a->table);
    problem_free(a->problem);
    forms_free(a->forms);
    active_options_done(&a->o);
    free(a);
}

unsigned active_start(struct experiments *take_table, const struct active_options *o,
                      void (*finish_with)(void *state, struct active_outcome *out, bool ok),
                      void *state, struct err *err)
{
    struct active *a = mem_zero(1, sizeof *a);
    const struct job_ops ops = {.run = run,
                                .finish = finish,
                                .free = done,
                                .measures = !o->simulated && !o->record,
                                .counts = true};
    a->o = *o;
    a->table = take_table;
    a->finish = finish_with;
    a->state = state;
    return job_start("active experiments", &ops, a, err);
}
