/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/pending_results.h"
#include "cmd/task.h"
#include "isa/cpu.h"
#include "measure/cpu_source.h"
#include "measure/runner.h"
#include "table/experiment_columns.h"
#include "work/crew.h"
#include "work/job.h"

#define TITLE "experiments measure"
#define FAILURES_SHOWN 20
/* Maximum number of rows of a table whose selection precedes the job in the workbench. The job
 * selects from larger tables. */
#define CHOSEN_AT_ONCE 1000

struct experiments_measuring {
    /* Members that the worker uses to select the experiments: @from, @machine and @filter. */
    struct experiments *from;       /* table (counted reference) until the selection is done; then
                                     * NULL */
    /* machine whose predictions the filter uses (counted reference); NULL: none */
    struct machine *machine;
    char *filter;
    /* Members of the worker */
    struct experiments *table;      /* the job's copy of the selected rows; NULL: not selected
                                     * yet */
    size_t *rows;                   /* index in the session's table of each copied row */
    struct forms *forms;
    struct machine *simulated;      /* simulated machine (counted reference); NULL: this CPU */
    char *journal_path;             /* path of the journal; NULL: none */
    struct runner_options options;
    int cpu;
    struct runner_summary summary;
    double clock_hz;
    unsigned children;
    struct record *record;          /* the session's record of measurements, for the views */
    char name[64];                  /* name of the CPU or of the simulated machine */
    /* Members that the worker and the UI thread share */
    pthread_mutex_t lock;
    struct pending_results pending_results;
    /* Members of the UI thread */
    unsigned number;
    struct session *session;
    uint64_t target;                /* serial number of the session's table at the start */
};

static void worker_result(void *state, size_t index, const struct measured *m)
{
    struct experiments_measuring *w = state;
    lock_take(&w->lock);
    pending_results_add(&w->pending_results, w->rows[index], m);
    lock_give(&w->lock);
}

static void worker_progress(void *state, const struct runner_summary *s, size_t total)
{
    struct str left = {0};

    if (s->left && s->seconds_left >= 0)
        duration_print(s->seconds_left, &left);
    /* The remaining time is first, because narrow lines are truncated. */
    job_progress(s->share * (double)total, (double)total,
                 "%s%s%zu measured, %zu failed, %.0f passes/s", str_text(&left),
                 left.length ? " left, " : "", s->done, s->failed, s->rate);
    str_done(&left);
}

static struct source *source_open(struct experiments_measuring *w, struct err *err)
{
    struct source *source =
        w->simulated ? source_simulated(w->simulated->mapping, 0.001, 1)
                     : source_cpu(w->forms, w->cpu, 0, &crew_threads, job_cancelled, NULL, err);
    const struct calibration *c = source && !w->simulated ? source_cpu_calibration(source) : NULL;

    if (!source)
        return NULL;
    if (c)
        w->clock_hz = c->clock_hz;
    record_begin(w->record, w->name, c);
    source->record = w->record;
    return source;
}

/* Copies the selected unmeasured rows, but failed rows only with --retry. Then drops the references
 * to table and machine. Returns false with err. */
static bool rows_choose(struct experiments_measuring *w, struct err *err)
{
    const struct experiments *from = w->from;
    size_t n = from->rows.count, kept = 0;
    bool *keep = experiment_rows_matching(from, w->machine, w->filter, err);

    /* A cancelled filter has not examined all rows. */
    if (!keep || !watch_goes_on(err)) {
        free(keep);
        return false;
    }
    w->rows = mem_try_alloc((n + 1) * sizeof *w->rows);
    for (size_t i = 0; w->rows && i < n && !watch_steps(1); i++) {
        keep[i] = keep[i] && !experiments_measured(from, i) &&
                  (w->options.retry || experiment_state_open(from->rows.items[i].state));
        if (keep[i])
            w->rows[kept++] = i;
    }
    bool ok = (w->rows || err_memory_for(err, "the experiments", (n + 1) * sizeof *w->rows)) &&
              watch_goes_on(err);
    if (ok)
        w->table = experiments_copy(from, keep);
    free(keep);
    experiments_free(w->from);
    machine_free(w->machine);
    w->from = NULL;
    w->machine = NULL;
    return ok;
}

static bool worker_run(void *state, struct result *result, struct err *err)
{
    struct experiments_measuring *w = state;
    const struct runner_hooks hooks = {.cancelled = job_cancelled,
                                       .result = worker_result,
                                       .seen = worker_result,
                                       .progress = worker_progress,
                                       .state = w,
                                       .wait_paused = job_wait_paused};
    struct journal *journal = NULL;
    struct source *source = NULL;

    w->clock_hz = NAN;
    bool ok = !w->from || rows_choose(w, err);
    ok = ok && (!w->journal_path || (journal = journal_open(w->journal_path, err)) != NULL);
    ok = ok && (source = source_open(w, err)) != NULL;
    ok = ok && runner_run(source, w->table, journal, &w->options, &hooks, &w->summary, err);
    if (source && !w->simulated)
        w->children = source_cpu_children(source);
    source_free(source);
    journal_close(journal);
    return ok;
}

void experiments_publish(struct session *s)
{
    /* While a job reads the table, the results wait for the next poll or for the end of that
     * job. */
    struct experiments_measuring *w = s->measuring;

    if (!w || (s->document.experiments && experiments_held(s->document.experiments)))
        return;
    lock_take(&w->lock);
    pending_results_put(s, w->target, &w->pending_results,
                        s->interactive ? PENDING_RESULTS_AT_ONCE : SIZE_MAX);
    lock_give(&w->lock);
}

static void add_failures(const struct experiments *t, struct result *result)
{
    size_t shown = 0, failed = 0;
    struct str text = {0};

    for (size_t i = 0; i < t->rows.count; i++) {
        const char *state = t->rows.items[i].state;
        if (experiments_measured(t, i) || experiment_state_open(state))
            continue;
        failed++;
        if (shown++ >= FAILURES_SHOWN)
            continue;
        str_clear(&text);
        experiments_print(t, i, &text);
        result_line(result, "failed: %s: %s", str_text(&text), state);
    }
    if (failed > FAILURES_SHOWN)
        result_line(result,
                    "failed, not shown: %zu; experiments measure --retry measures all failed "
                    "experiments again",
                    failed - FAILURES_SHOWN);
    str_done(&text);
}

/* Appends " of 2026-11-20 to 2026-11-22", the dates of the reused values, if they are known. */
static void days_add(const struct runner_summary *m, struct str *out)
{
    if (!m->reused || !*m->since)
        return;
    str_addf(out, " of %s", m->since);
    if (strcmp(m->since, m->until) != 0)
        str_addf(out, " to %s", m->until);
}

/* Adds a summary. In the workbench it omits the failures, because the experiments view shows them
 * with their reasons. */
static void add_summary(const struct session *s, struct result *result)
{
    const struct document *d = &s->document;
    const struct runner_summary *m = &d->measured;
    struct str days = {0}, together = {0};

    days_add(m, &days);
    if (m->cpus > 1)
        str_addf(&together, " on %u CPUs", m->cpus);
    if (m->reused && m->reused == m->done)
        result_line(
            result,
            "%zu result%s read from the journal%s, %zu failed, %zu left; --fresh measures all "
            "again",
            m->reused, plural(m->reused), str_text(&days), m->failed, m->left);
    else
        result_line(result,
                    "%zu measured (%zu from the journal%s), %zu failed, %zu left after %.1f s: "
                    "%.0f measurements/s%s",
                    m->done, m->reused, str_text(&days), m->failed, m->left, m->seconds, m->rate,
                    str_text(&together));
    if (m->once + m->contended)
        result_line(result,
                    "left: %zu measured once, %zu contended, because other tasks use this core. "
                    "Run the command again later, or with a longer wait (--patience)",
                    m->once, m->contended);
    if (m->taken_over && !s->interactive)
        result_line(result,
                    "%zu pass%s of earlier runs read from the journal and confirmed or replaced",
                    m->taken_over, m->taken_over == 1 ? "" : "es");
    str_done(&days);
    str_done(&together);
    result_count(result, "done", (int64_t)m->done);
    result_count(result, "failed", (int64_t)m->failed);
    result_number(result, "seconds", m->seconds);
    result_number(result, "rate", m->rate);
    result_count(result, "reused", (int64_t)m->reused);
    result_text(result, "reused_since", m->since);
    result_text(result, "reused_until", m->until);
    result_count(result, "left", (int64_t)m->left);
    result_count(result, "once", (int64_t)m->once);
    result_count(result, "contended", (int64_t)m->contended);
    result_count(result, "taken_over", (int64_t)m->taken_over);
    result_count(result, "passes", (int64_t)m->passes);
    result_count(result, "cpus", m->cpus);
    result_number(result, "clock_hz", d->measured_clock_hz > 0 ? d->measured_clock_hz : NAN);
    result_count(result, "children", d->measured_children);
    if (d->experiments && !s->interactive)
        add_failures(d->experiments, result);
}

static void measured(struct session *s, struct experiments_measuring *w)
{
    pending_results_finish(s, w->target, &w->pending_results);
    s->document.measured = w->summary;
    s->document.measured_clock_hz = w->clock_hz;
    s->document.measured_children = w->children;
    s->measuring = NULL;
}

static bool measure_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    measured(s, state);
    add_summary(s, result);
    return true;
}

/* Adds the measurements made before the failure to the session's table. */
static void measure_failed(struct session *s, void *state, struct result *result,
                           const struct err *err)
{
    measured(s, state);
}

static void measuring_free(void *state)
{
    struct experiments_measuring *w = state;
    if (w->session && w->session->measuring == w)
        w->session->measuring = NULL;
    experiments_free(w->from);
    machine_free(w->machine);
    free(w->filter);
    experiments_free(w->table);
    free(w->rows);
    forms_free(w->forms);
    machine_free(w->simulated);
    free(w->journal_path);
    pthread_mutex_destroy(&w->lock);
    pending_results_done(&w->pending_results);
    free(w);
}

struct experiments_measure_values {
    double budget, patience;
    bool retry, fresh, one_length, one_order;
    const char *journal, *simulate, *filter;
    size_t cpu;
};

/* Fills @w from the options. Returns false with err if the machine to simulate cannot be loaded, or
 * the CPU may not be used. */
static bool set_up(struct session *s, const struct experiments_measure_values *v,
                   struct experiments_measuring *w, struct err *err)
{
    struct machine *m = v->simulate ? session_machine(s, v->simulate, err) : NULL;

    if ((v->simulate && !m) || !command_cpu(v->cpu, &w->cpu, err))
        return false;
    w->options.budget = isnan(v->budget) ? 0 : v->budget;
    w->options.patience = isnan(v->patience) ? 0 : v->patience;
    w->options.retry = v->retry;
    w->options.fresh = v->fresh;
    w->options.one_length = v->one_length;
    w->options.one_order = v->one_order;
    if (m) {
        w->simulated = machine_hold(m);
        snprintf(w->name, sizeof w->name, "%s", m->id);
    } else {
        cpu_name(w->name, sizeof w->name);
    }
    if (v->journal)
        w->journal_path = strcmp(v->journal, "none") == 0 ? NULL : mem_strdup(v->journal);
    /* A measurement with --one-order is another quantity, so it is not stored in the journal. */
    else if (!w->simulated && !w->options.one_order)
        w->journal_path = journal_default_path();
    return true;
}

bool *experiments_fitting(struct session *s, const char *filter, struct err *err)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    return experiment_rows_matching(s->document.experiments, m, filter, err);
}

/* Selects the experiments. In an interactive session, the worker selects from a large table.
 * Returns false with err, for example for an invalid filter. */
static bool choose(struct session *s, struct experiments_measuring *w, const char *filter,
                   struct err *err)
{
    struct err none = {0};
    struct machine *m = session_current(s, &none);
    struct filter f;

    if (!filter_parse(filter, experiment_column_table, EXPERIMENT_FILTER_COLUMNS, &f, err))
        return false;
    filter_done(&f);
    w->from = experiments_hold(s->document.experiments);
    w->machine = m ? machine_hold(m) : NULL;
    w->filter = mem_strdup(filter);
    return (s->interactive && w->from->rows.count > CHOSEN_AT_ONCE) || rows_choose(w, err);
}

/* Starts the job with @take_w. A script waits for its end; the workbench shows the result later.
 * Returns false with err on failure. */
static bool start(struct session *s, struct experiments_measuring *take_w, struct result *result,
                  struct err *err)
{
    static const struct task_ops ops = {NULL, worker_run, measure_publish, measuring_free,
                                        .failed = measure_failed, .counts = true};
    bool chosen = take_w->table != NULL;
    size_t count = chosen ? take_w->table->rows.count : 0;
    unsigned number = task_begin(
        s, TITLE, &(struct task){&ops, take_w, .measures = !take_w->simulated}, err);

    if (!number)
        return false;
    s->measuring = take_w;
    take_w->number = number;
    if (!s->interactive)
        return queue_wait(s, number, err);
    if (!chosen)
        result_confirm(result,
                       "job %u measures the experiments without cycles; job cancel %u cancels it, "
                       "job wait waits for it",
                       number, number);
    else if (!count)
        result_confirm(result,
                       "nothing left to measure; --retry measures failed experiments again");
    else
        result_confirm(
            result,
            "job %u measures %zu experiment%s; job cancel %u cancels it, job wait waits for it",
            number, count, plural(count), number);
    return true;
}

/* Creates the job's state without the experiments. Returns NULL with err if measuring is not
 * possible. */
static struct experiments_measuring *
prepare(struct session *s, const struct experiments_measure_values *v, struct err *err)
{
    struct forms *forms = NULL;

    if (s->measuring) {
        err_set(err, ERR_USAGE, "use job wait or job cancel", "another job measures experiments");
        return NULL;
    }
    struct experiments_measuring *w = mem_zero(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    bool ok = set_up(s, v, w, err) &&
              (w->simulated || (job_may_measure(TITLE, false, err) &&
                                (forms = session_forms(s, isa_host(), err)) != NULL));
    if (!ok) {
        measuring_free(w);
        return NULL;
    }
    w->forms = forms ? forms_hold(forms) : NULL;
    w->record = s->document.record;
    w->session = s;
    return w;
}

static bool begin(struct session *s, struct experiments_measuring *take_w, const char *filter,
                  struct result *result, struct err *err)
{
    if (!choose(s, take_w, filter, err)) {
        measuring_free(take_w);
        return false;
    }
    take_w->target = s->document.experiments->serial;
    return start(s, take_w, result, err);
}

static bool run_measure(struct session *s, const void *values, struct result *result,
                        struct err *err)
{
    const struct experiments_measure_values *v = values;

    if (!s->document.experiments || !s->document.experiments->rows.count)
        return err_set(err, ERR_USAGE, "run experiments generate or experiments load first",
                       "no experiments");
    struct experiments_measuring *w = prepare(s, v, err);
    return w && begin(s, w, v->filter ? v->filter : "", result, err);
}

bool experiments_measure(struct session *s, struct experiments **made,
                         const struct experiments *base, const struct measure_choice *choice,
                         struct result *result, struct err *err)
{
    struct experiments_measuring *w =
        prepare(s,
                &(struct experiments_measure_values){.budget = NAN,
                                                     .patience = choice->patience,
                                                     .simulate = choice->simulate,
                                                     .cpu = choice->cpu},
                err);

    if (!w)
        return false;
    if (!session_set_experiments(s, made, base, err)) {
        measuring_free(w);
        return false;
    }
    return begin(s, w, "", result, err);
}

const struct command command_experiments_measure = {
    .name = "experiments measure",
    .help = "measure the experiments that have no cycles yet",
    .description = "Runs in the background. Each result is written to the journal at once. After "
                   "an interruption the next run measures the remaining experiments.",
    .arguments =
        PARAMETERS({PARAMETER(JOINED, "FILTER", struct experiments_measure_values, filter),
                    .fallback = "all experiments",
                    .help = "conditions joined by &, such as form~VADD & experiment!=NOP"}),
    .options = PARAMETERS(
        {PARAMETER(DURATION, "--budget", struct experiments_measure_values, budget), .value = "T",
         .fallback = "until all experiments are measured",
         .help = "time limit, such as 90s, 15m or 2h"},
        {PARAMETER(DURATION, "--patience", struct experiments_measure_values, patience),
         .value = "T", .least = 0.01, .most = 8640000, .fallback = "20s, plus 50 ms per value",
         .help = "total time to wait for an idle core; after this time experiments get the state "
                 "contended or once, and the next run measures them"},
        {PARAMETER(FLAG, "--retry", struct experiments_measure_values, retry),
         .help = "also measure failed experiments again"},
        {PARAMETER(FLAG, "--fresh", struct experiments_measure_values, fresh),
         .help = "ignore results in the journal; new results are still added to the journal"},
        {PARAMETER(FLAG, "--one-length", struct experiments_measure_values, one_length),
         .help = "measure one length of the unrolled body instead of two (for comparison)"},
        {PARAMETER(FLAG, "--one-order", struct experiments_measure_values, one_order),
         .help = "measure one order of the instructions instead of several (for comparison); "
                 "results are not added to this CPU's journal"},
        {PARAMETER(TEXT, "--journal", struct experiments_measure_values, journal),
         .value = "FILE|none", .complete = COMPLETE_FILE,
         .fallback = "this CPU's journal in the state directory; none with --simulate",
         .help = "file for all results; results in it are not measured again"},
        {PARAMETER(TEXT, "--simulate", struct experiments_measure_values, simulate), .value = "ID",
         .complete = COMPLETE_MACHINE, .fallback = "measure this CPU",
         .help = "machine to simulate instead of measuring"},
        {PARAMETER(COUNT, "--cpu", struct experiments_measure_values, cpu), .value = "N",
         .fallback = "all CPUs that do not disturb each other, at most 4",
         .help = "measure only on CPU N; numbers start at 0"}),
    .examples =
        EXAMPLES("experiments measure --budget 15m", "experiments measure --retry form~VADD",
                 "experiments measure --simulate skylake"),
    .values_size = sizeof(struct experiments_measure_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .run = run_measure,
};

static bool set_paused(const struct session *s, struct result *result, bool on, struct err *err)
{
    if (!s->measuring || !job_pause(s->measuring->number, on))
        return err_set(err, ERR_USAGE, "experiments measure starts a measurement",
                       "no experiments are being measured");
    result_confirm(
        result,
        on ? "job %u pauses after the current batch; experiments resume continues the job"
           : "job %u continues",
        s->measuring->number);
    result_count(result, "job", s->measuring->number);
    return true;
}

static bool run_pause(struct session *s, const void *values, struct result *result, struct err *err)
{
    return set_paused(s, result, true, err);
}

static bool run_resume(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    return set_paused(s, result, false, err);
}

const struct command command_experiments_pause = {
    .name = "experiments pause",
    .help = "pause measuring",
    .examples = EXAMPLES("experiments pause"),
    .flags = COMMAND_CHANGES,
    .run = run_pause,
};

const struct command command_experiments_resume = {
    .name = "experiments resume",
    .help = "continue measuring",
    .examples = EXAMPLES("experiments resume"),
    .flags = COMMAND_CHANGES,
    .run = run_resume,
};

bool experiments_paused(const struct session *s)
{
    struct job_info info;
    return s->measuring && job_find(s->measuring->number, &info) && info.paused;
}
