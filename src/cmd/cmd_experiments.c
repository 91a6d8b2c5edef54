/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "io/experiments_file.h"
#include "isa/cpu.h"
#include "measure/runner.h"
#include "table/experiment_columns.h"
#include "work/job.h"

#define FAILURES_SHOWN 20
#define FILTER_WORDS 64

/* A result on its way from the worker to the table. */
struct arrival { size_t index; struct measured measured; };

struct measuring {
    /* worker */
    struct experiments *table;      /* its own copy of what waits */
    size_t *rows;                   /* of the session's table, by row of the copy */
    struct forms *forms;
    struct mapping *simulated;      /* NULL: this CPU */
    char *journal_path;             /* NULL: none */
    struct runner_options options;
    int cpu;
    struct job *job;
    struct runner_summary summary;
    double clock_hz;
    unsigned children;
    struct record *record;          /* the session's */
    char name[64];                  /* of the CPU or the simulated machine */
    /* both */
    pthread_mutex_t lock;
    VEC(struct arrival) arrivals;
    /* UI thread */
    unsigned number;                /* of the job */
    struct session *session;
    uint64_t target;                /* serial of the session's table when it began */
};

/* The job whose results still come in; one at a time, since two would disturb each other. */
static struct measuring *running;

static bool worker_cancelled(void *state)
{
    return job_cancelled(((struct measuring *)state)->job);
}

static void worker_result(void *state, size_t index, const struct measured *m)
{
    struct measuring *w = state;
    pthread_mutex_lock(&w->lock);
    vec_push(&w->arrivals, ((struct arrival){w->rows[index], *m}));
    pthread_mutex_unlock(&w->lock);
}

static void worker_progress(void *state, const struct runner_summary *s, size_t total)
{
    struct measuring *w = state;
    struct str left = {0};

    if (s->left && s->seconds_left >= 0)
        duration_print(s->seconds_left, &left);
    job_progress(w->job, (double)(s->done + s->failed), (double)total, "%.0f passes/s, %zu failed%s%s%s", s->rate, s->failed, left.length ? ", " : "",
                 str_text(&left), left.length ? " left" : "");
    str_done(&left);
}

static double worker_wait_paused(void *state)
{
    return job_wait_paused(((struct measuring *)state)->job);
}

static struct source *source_open(struct measuring *w, struct err *err)
{
    struct source *source = w->simulated ? source_simulated(w->simulated, 0.001, 1) : source_cpu(w->forms, w->cpu, 0, worker_cancelled, w, err);
    const struct calibration *c = source && !w->simulated ? source_cpu_calibration(source) : NULL;

    if (!source)
        return NULL;
    if (c)
        w->clock_hz = c->clock_hz;
    record_begin(w->record, w->name, c);
    source->record = w->record;
    return source;
}

static bool worker_run(struct job *job, void *state, struct err *err)
{
    struct measuring *w = state;
    const struct runner_hooks hooks = {worker_cancelled, worker_result, worker_progress, w, worker_wait_paused};
    struct journal *journal = NULL;
    struct source *source = NULL;

    w->job = job;
    w->clock_hz = NAN;
    bool ok = !w->journal_path || (journal = journal_open(w->journal_path, err)) != NULL;
    ok = ok && (source = source_open(w, err)) != NULL;
    ok = ok && runner_run(source, w->table, journal, &w->options, &hooks, &w->summary, err);
    if (source && !w->simulated)
        w->children = sandbox_children(source_cpu_sandbox(source));
    source_free(source);
    journal_close(journal);
    return ok;
}

void experiments_publish(struct session *s)
{
    struct measuring *w = running;
    if (!w || w->session != s)
        return;
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->arrivals.count && s->document.experiments && s->document.experiments->serial == w->target; i++) {
        const struct arrival *a = &w->arrivals.items[i];
        if (a->index >= s->document.experiments->rows.count)
            continue;
        experiments_set(s->document.experiments, a->index, a->measured.cycles, a->measured.spread, a->measured.repeats, a->measured.state);
        if (a->measured.lengths[0])
            experiments_set_extra(s->document.experiments, a->index, EXPERIMENT_LENGTHS, a->measured.lengths);
    }
    w->arrivals.count = 0;
    pthread_mutex_unlock(&w->lock);
}

static void ui_finish(void *state, const struct job_info *info)
{
    struct measuring *w = state;
    (void)info;
    experiments_publish(w->session);
    w->session->document.measured = w->summary;
    w->session->document.measured_clock_hz = w->clock_hz;
    w->session->document.measured_children = w->children;
    running = NULL;
}

static void measuring_free(void *state)
{
    struct measuring *w = state;
    if (running == w)
        running = NULL;
    experiments_free(w->table);
    free(w->rows);
    forms_free(w->forms);
    mapping_free(w->simulated);
    free(w->journal_path);
    pthread_mutex_destroy(&w->lock);
    vec_done(&w->arrivals);
    free(w);
}

static bool arguments_read(struct session *s, int argc, char **argv, struct measuring *w, struct str *filter, struct err *err)
{
    const char *budget = NULL, *simulate = NULL, *journal = NULL, *cpu = NULL, *words[FILTER_WORDS];
    const struct legacy_option options[] = {
        {"--budget", OPTION_TEXT, &budget},    {"--retry", OPTION_FLAG, &w->options.retry},  {"--one-length", OPTION_FLAG, &w->options.one_length},
        {"--one-order", OPTION_FLAG, &w->options.one_order},
        {"--journal", OPTION_TEXT, &journal},  {"--simulate", OPTION_TEXT, &simulate},       {"--cpu", OPTION_TEXT, &cpu}, {NULL, OPTION_FLAG, NULL},
    };
    size_t count;

    cpu_name(w->name, sizeof w->name);
    if (!options_parse(argc, argv, options, words, FILTER_WORDS, &count, err) || !options_cpu(cpu, &w->cpu, err) ||
        (budget && !duration_parse(budget, &w->options.budget, err)))
        return false;
    for (size_t i = 0; i < count; i++)
        str_addf(filter, "%s%s", i ? " " : "", words[i]);
    const struct machine *m = simulate ? session_machine(s, simulate, err) : NULL;
    if (simulate && !m)
        return false;
    if (m) {
        w->simulated = mapping_copy(m->mapping);
        snprintf(w->name, sizeof w->name, "%s", m->id);
    }
    if (journal)
        w->journal_path = strcmp(journal, "none") == 0 ? NULL : mem_strdup(journal);
    else if (!w->simulated && !w->options.one_order)   /* one order is another quantity than what the journal holds */
        w->journal_path = journal_default_path();
    return true;
}

bool *experiments_fitting(struct session *s, const char *filter, struct err *err)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    return experiment_rows_matching(s->document.experiments, m, filter, err);
}

/* Copies the rows that fit and wait. */
static bool rows_choose(struct session *s, struct measuring *w, const char *filter, struct err *err)
{
    size_t n = s->document.experiments->rows.count, kept = 0;
    bool *keep = experiments_fitting(s, filter, err);

    if (!keep)
        return false;

    w->rows = mem_alloc((n + 1) * sizeof *w->rows);
    for (size_t i = 0; i < n; i++) {
        const struct experiment_row *row = &s->document.experiments->rows.items[i];
        keep[i] = keep[i] && !experiments_measured(s->document.experiments, i) && (w->options.retry || strcmp(row->state, EXPERIMENT_PENDING) == 0);
        if (keep[i])
            w->rows[kept++] = i;
    }
    w->table = experiments_copy(s->document.experiments, keep);
    free(keep);
    return true;
}

static void print_failures(struct session *s)
{
    const struct experiments *t = s->document.experiments;
    size_t shown = 0, failed = 0;
    struct str text = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        const char *state = t->rows.items[i].state;
        if (strcmp(state, EXPERIMENT_OK) == 0 || strcmp(state, EXPERIMENT_PENDING) == 0)
            continue;
        failed++;
        if (shown++ >= FAILURES_SHOWN)
            continue;
        str_clear(&text);
        experiments_print(t, i, &text);
        str_addf(&s->output, "failed: %s: %s\n", str_text(&text), state);
    }
    if (failed > FAILURES_SHOWN)
        str_addf(&s->output, "and %zu more; experiments measure --retry tries them again\n", failed - FAILURES_SHOWN);
    str_done(&text);
}

static void print_summary(struct session *s)
{
    const struct runner_summary *m = &s->document.measured;
    if (s->settings.format == FORMAT_JSON) {
        session_json(s, json_pack("{s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:o, s:i}", "done", (json_int_t)m->done, "failed", (json_int_t)m->failed, "seconds", m->seconds, "rate",
                                  m->rate, "reused", (json_int_t)m->reused, "left", (json_int_t)m->left, "passes", (json_int_t)m->passes, "taken_over", (json_int_t)m->taken_over, "clock_hz",
                                  s->document.measured_clock_hz > 0 ? json_real(s->document.measured_clock_hz) : json_null(), "children", (int)s->document.measured_children));
        return;
    }
    if (s->settings.format == FORMAT_CSV) {
        str_addf(&s->output, "done,failed,seconds,rate,reused,left,taken_over\n%zu,%zu,%.6g,%.6g,%zu,%zu,%zu\n", m->done, m->failed, m->seconds, m->rate, m->reused,
                 m->left, m->taken_over);
        return;
    }
    str_addf(&s->output, "%zu done (%zu known from before), %zu failed, %zu left in %.1f s: %.0f measurements a second\n", m->done, m->reused, m->failed, m->left,
             m->seconds, m->rate);
    if (m->taken_over)
        str_addf(&s->output, "%zu passes of an earlier run were in the journal\n", m->taken_over);
    print_failures(s);
}

bool cmd_experiments_measure(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {worker_run, ui_finish, measuring_free};
    struct str filter = {0};
    struct job_info info;
    struct forms *forms;

    if (!s->document.experiments || !s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "experiments generate or experiments load first", "there are no experiments");
    if (running)
        return err_set(err, ERR_USAGE, "job wait, or job cancel", "experiments are being measured already");
    struct measuring *w = mem_zero(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    bool ok = arguments_read(s, argc, argv, w, &filter, err) && rows_choose(s, w, str_text(&filter), err);
    if (ok && !w->simulated && (forms = session_forms(s, isa_host(), err)) != NULL)
        w->forms = forms_copy(forms);
    str_done(&filter);
    if (!ok || (!w->simulated && !w->forms)) {
        measuring_free(w);
        return false;
    }
    w->record = s->document.record;
    w->session = s;
    w->target = s->document.experiments->serial;
    unsigned number = job_start("experiments measure", &ops, w, err);
    if (!number)
        return false;
    running = w;
    w->number = number;
    if (s->interactive) {
        if (!w->table->rows.count)
            str_addf(&s->output, "nothing is left to measure; --retry takes what failed as well\n");
        else
            str_addf(&s->output, "job %u measures %zu experiments; job cancel %u ends it, job wait lets what follows wait\n", number, w->table->rows.count, number);
        return true;
    }
    job_wait(number);
    if (job_find(number, &info) && info.state != JOB_DONE) {
        *err = info.err;
        return false;
    }
    print_summary(s);
    return true;
}

static bool measuring_pause(struct session *s, int argc, char **argv, bool on, struct err *err)
{
    if (argc != 1)
        return err_set(err, ERR_USAGE, argv[0], "no argument was expected");
    if (!running || !job_pause(running->number, on))
        return err_set(err, ERR_USAGE, "experiments measure starts it", "no experiments are being measured");
    if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "job %u %s\n", running->number, on ? "pauses after the batch it is in; experiments resume goes on" : "goes on");
    return true;
}

bool cmd_experiments_pause(struct session *s, int argc, char **argv, struct err *err)
{
    return measuring_pause(s, argc, argv, true, err);
}

bool cmd_experiments_resume(struct session *s, int argc, char **argv, struct err *err)
{
    return measuring_pause(s, argc, argv, false, err);
}

bool experiments_paused(const struct session *s)
{
    struct job_info info;
    return running && running->session == s && job_find(running->number, &info) && info.paused;
}
