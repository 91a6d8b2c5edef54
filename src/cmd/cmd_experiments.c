/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "io/experiments_file.h"
#include "measure/runner.h"
#include "work/job.h"

#define FAILURES_SHOWN 20

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
    bool counters;
    /* both */
    pthread_mutex_t lock;
    VEC(struct arrival) arrivals;
    /* UI thread */
    struct session *session;
    struct experiments *target;     /* the session's table when it began */
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
    double left = s->rate > 0 ? 2 * (double)s->left / s->rate : 0;
    job_progress(w->job, (double)(s->done + s->failed), (double)total, "%.0f passes/s, %zu failed, %.0f s left", s->rate, s->failed, left);
}

static struct source *source_open(struct measuring *w, struct err *err)
{
    if (w->simulated)
        return source_simulated(w->simulated, 0.001, 1);
    struct source *source = source_cpu(w->forms, w->cpu, 0, worker_cancelled, w, err);
    if (source) {
        w->clock_hz = source_cpu_calibration(source)->clock_hz;
        w->counters = source_cpu_calibration(source)->counters;
    }
    return source;
}

static bool worker_run(struct job *job, void *state, struct err *err)
{
    struct measuring *w = state;
    const struct runner_hooks hooks = {worker_cancelled, worker_result, worker_progress, w};
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
    for (size_t i = 0; i < w->arrivals.count && s->experiments == w->target; i++) {
        const struct arrival *a = &w->arrivals.items[i];
        if (a->index < s->experiments->rows.count)
            experiments_set(s->experiments, a->index, a->measured.cycles, a->measured.spread, a->measured.repeats, a->measured.state);
    }
    w->arrivals.count = 0;
    pthread_mutex_unlock(&w->lock);
}

static void ui_finish(void *state, const struct job_info *info)
{
    struct measuring *w = state;
    (void)info;
    experiments_publish(w->session);
    w->session->measured = w->summary;
    w->session->measured_clock_hz = w->clock_hz;
    w->session->measured_children = w->children;
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

bool duration_parse(const char *text, double *seconds, struct err *err)
{
    static const struct { const char *unit; double seconds; } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    double value = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && value > 0 && value < 1e9) {
            *seconds = value * units[i].seconds;
            return true;
        }
    return err_set(err, ERR_USAGE, "write it as 90s or 15m", "\"%s\" is no duration", text);
}

static bool arguments_read(struct session *s, int argc, char **argv, struct measuring *w, const char **pattern, struct err *err)
{
    bool no_journal = false;

    w->cpu = -1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--retry") == 0) {
            w->options.retry = true;
        } else if (argv[i][0] == '-' && argv[i][1] == '-' && !value) {
            return err_set(err, ERR_USAGE, "help experiments measure", "%s needs a value, or is no option", argv[i]);
        } else if (strcmp(argv[i], "--budget") == 0) {
            if (!duration_parse(argv[++i], &w->options.budget, err))
                return false;
        } else if (strcmp(argv[i], "--simulate") == 0) {
            const struct machine *m = session_machine(s, argv[++i], err);
            if (!m)
                return false;
            w->simulated = mapping_copy(m->mapping);
        } else if (strcmp(argv[i], "--journal") == 0) {
            free(w->journal_path);
            no_journal = strcmp(argv[++i], "none") == 0;
            w->journal_path = no_journal ? NULL : mem_strdup(argv[i]);
        } else if (strcmp(argv[i], "--cpu") == 0) {
            char *end;
            w->cpu = (int)strtol(argv[++i], &end, 10);
            if (*end || w->cpu < 0)
                return err_set(err, ERR_USAGE, "--cpu 1", "\"%s\" is no processor's number", argv[i]);
        } else if (argv[i][0] == '-' && argv[i][1] == '-') {
            return err_set(err, ERR_USAGE, "help experiments measure", "there is no option %s", argv[i]);
        } else {
            *pattern = argv[i];
        }
    }
    if (!w->journal_path && !no_journal && !w->simulated)
        w->journal_path = journal_default_path();
    return true;
}

/* Copies the rows that match and wait. */
static void rows_choose(struct session *s, struct measuring *w, const char *pattern)
{
    size_t n = s->experiments->rows.count, kept = 0;
    bool *keep = mem_zero(n + 1, sizeof *keep);
    struct str text = {0};

    w->rows = mem_alloc((n + 1) * sizeof *w->rows);
    for (size_t i = 0; i < n; i++) {
        const struct experiment_row *row = &s->experiments->rows.items[i];
        keep[i] = !experiments_measured(s->experiments, i) && (w->options.retry || strcmp(row->state, EXPERIMENT_PENDING) == 0);
        if (keep[i] && pattern) {
            str_clear(&text);
            experiments_print(s->experiments, i, &text);
            keep[i] = str_match(pattern, str_text(&text));
        }
        if (keep[i])
            w->rows[kept++] = i;
    }
    w->table = experiments_copy(s->experiments, keep);
    str_done(&text);
    free(keep);
}

static void print_failures(struct session *s)
{
    const struct experiments *t = s->experiments;
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
    const struct runner_summary *m = &s->measured;
    if (s->format == FORMAT_JSON) {
        session_json(s, json_pack("{s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:o, s:i}", "done", (json_int_t)m->done, "failed", (json_int_t)m->failed, "seconds", m->seconds, "rate",
                                  m->rate, "reused", (json_int_t)m->reused, "left", (json_int_t)m->left, "passes", (json_int_t)m->passes, "clock_hz",
                                  s->measured_clock_hz > 0 ? json_real(s->measured_clock_hz) : json_null(), "children", (int)s->measured_children));
        return;
    }
    if (s->format == FORMAT_CSV) {
        str_addf(&s->output, "done,failed,seconds,rate,reused,left\n%zu,%zu,%.6g,%.6g,%zu,%zu\n", m->done, m->failed, m->seconds, m->rate, m->reused, m->left);
        return;
    }
    str_addf(&s->output, "%zu done (%zu known from before), %zu failed, %zu left in %.1f s: %.0f measurements a second\n", m->done, m->reused, m->failed, m->left,
             m->seconds, m->rate);
    print_failures(s);
}

bool cmd_experiments_measure(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {worker_run, ui_finish, measuring_free};
    const char *pattern = NULL;
    struct job_info info;

    if (!s->experiments || !s->experiments->rows.count)
        return err_set(err, ERR_USAGE, "experiments generate or experiments load first", "there are no experiments");
    if (running)
        return err_set(err, ERR_USAGE, "job wait, or job cancel", "experiments are being measured already");
    struct measuring *w = mem_zero(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    if (!arguments_read(s, argc, argv, w, &pattern, err) || (!w->simulated && !(w->forms = forms_load(NULL, err)))) {
        measuring_free(w);
        return false;
    }
    rows_choose(s, w, pattern);
    w->session = s;
    w->target = s->experiments;
    unsigned number = job_start("experiments measure", &ops, w, err);
    if (!number)
        return false;
    running = w;
    if (s->interactive) {
        str_addf(&s->output, "job %u\n", number);
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
