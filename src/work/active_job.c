/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/active_job.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/runner.h"
#include "model/metrics.h"
#include "work/job.h"

struct active {
    struct active_options o;
    struct active_result result;
    struct job *job;
    struct forms *forms;         /* of this CPU; NULL when simulated */
    struct source *source;
    struct journal *journal;
    struct mapping *last;        /* best of the round before; NULL in the first */
    double begun;
    void (*finish)(void *state, struct active_result *result, bool ok);
    void *state;
};

static bool cancelled(void *state)
{
    return job_cancelled(((struct active *)state)->job);
}

static void take_result(void *state, size_t index, const struct measured *m)
{
    struct active *a = state;
    experiments_set(a->result.table, index, m->cycles, m->spread, m->repeats, m->state);
}

static void show_progress(void *state, const struct runner_summary *so_far, size_t total)
{
    struct active *a = state;
    job_progress(a->job, (double)(so_far->done + so_far->failed), (double)total, "%zu to measure, %.0f passes/s", so_far->left, so_far->rate);
}

/* How the mapping of the last round does on what has just been measured, which it had not seen. */
static void note_error(struct active *a, const bool *fresh)
{
    struct experiments *t = a->result.table;
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), sum = 0;
    size_t n = 0;

    metrics_predict(a->last, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (fresh[i] && experiments_measured(t, i) && !isnan(cycles[i])) {
            sum += fabs(cycles[i] / t->rows.items[i].cycles - 1);
            n++;
        }
    if (n)
        a->result.rounds.items[a->result.rounds.count - 1].error = sum / (double)n;
    free(cycles);
}

static bool measure(struct experiments *t, void *state, struct err *err)
{
    struct active *a = state;
    const struct runner_options options = {0};
    const struct runner_hooks hooks = {.cancelled = cancelled, .result = take_result, .progress = show_progress, .state = a};
    struct runner_summary summary;
    bool *fresh = mem_zero(t->rows.count + 1, sizeof *fresh);

    /* The runner reads the table while results arrive: it gets a copy. */
    struct experiments *copy = experiments_copy(t, NULL);
    for (size_t i = 0; i < t->rows.count; i++)
        fresh[i] = !experiments_measured(t, i);
    bool ok = runner_run(a->source, copy, a->journal, &options, &hooks, &summary, err);
    if (ok && a->last)
        note_error(a, fresh);
    experiments_free(copy);
    free(fresh);
    return ok;
}

static void report(void *state, size_t measurements, const struct mapping *best)
{
    struct active *a = state;
    vec_push(&a->result.rounds, ((struct active_round){measurements, clock_seconds() - a->begun, NAN}));
    mapping_free(a->last);
    a->last = mapping_copy(best);
    job_progress(a->job, (double)measurements, (double)a->o.select.most, "%zu measured", measurements);
}

static void poll_round(void *state, struct evolve *e)
{
    if (cancelled(state))
        evolve_stop(e);
}

static bool run(struct job *job, void *state, struct err *err)
{
    struct active *a = state;
    bool ok = true;

    a->job = job;
    a->begun = clock_seconds();
    if (!a->o.simulated)
        ok = (a->forms = forms_load_isa(isa_host(), err)) != NULL && (!a->o.journal || (a->journal = journal_open(a->o.journal, err)) != NULL);
    if (ok)
        a->source = a->o.simulated ? source_simulated(a->o.simulated, a->o.noise, a->o.select.evolve.seed) : source_cpu(a->forms, a->o.cpu, 0, cancelled, a, err);
    ok = a->source != NULL;
    a->o.select.poll = poll_round;
    a->o.select.poll_state = a;
    if (ok) {
        struct mapping *best = select_run(a->result.table, &a->o.select, measure, a, report, a, err);
        ok = best != NULL;
        mapping_free(best);
    }
    source_free(a->source);
    journal_close(a->journal);
    return ok;
}

static void finish(void *state, const struct job_info *info)
{
    struct active *a = state;
    a->finish(a->state, &a->result, info->state == JOB_DONE);
}

static void done(void *state)
{
    struct active *a = state;
    experiments_free(a->result.table);
    vec_done(&a->result.rounds);
    forms_free(a->forms);
    mapping_free(a->last);
    mapping_free(a->o.simulated);
    free(a->o.journal);
    free(a);
}

static const struct job_ops ops = {run, finish, done};

unsigned active_start(struct experiments *take_table, const struct active_options *o, void (*finish_with)(void *state, struct active_result *result, bool ok),
                      void *state, struct err *err)
{
    struct active *a = mem_zero(1, sizeof *a);
    a->o = *o;
    a->result.table = take_table;
    a->finish = finish_with;
    a->state = state;
    return job_start("active experiments", &ops, a, err);
}
