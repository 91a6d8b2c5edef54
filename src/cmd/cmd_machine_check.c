/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chain_cycles.h"
#include "base/clock.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "cmd/lab_findings.h"
#include "cmd/task.h"
#include "isa/cpu.h"
#include "measure/cpu_source.h"
#include "measure/latency.h"
#include "measure/runner.h"
#include "throughput/predict.h"
#include "toolchain/assemble.h"
#include "work/crew.h"
#include "work/job.h"

#define TOP 60              /* default number of forms */
#define SECONDS 60
#define SHARE 0.6           /* share of the time limit for throughputs; latencies use the rest */
#define SHOWN 40            /* maximum number of rows in text */
#define TELL_SECONDS 0.2    /* interval between two updates of the views, in seconds */
#define PENDING "not measured yet"

/* State of the job of machine check. The worker measures the forms one by one; the UI thread shows
 * the rows and stores them for the view. */
struct checking {
    struct session *session;
    struct machine *machine;      /* the job's copy of the checked machine */
    struct machine *simulated;    /* simulated machine; NULL: this CPU */
    struct forms *forms;
    VEC(char *) names;            /* forms to check */
    VEC(double) uses;
    double seconds, until;
    struct check *check;
    struct experiments *table;    /* one row per form of @names */
    size_t measured, without_latency;
    struct stage_log *log;        /* progress for the views; NULL: not started */
    double filled;                  /* clock_seconds() when the lists of @log were last filled */
    /* copy of the check for the view, which takes the copy; NULL: no new rows */
    struct check *_Atomic so_far;
};

static int weightier_first(const void *a, const void *b)
{
    const double x = check_weight(*(const struct check_row *const *)a),
                 y = check_weight(*(const struct check_row *const *)b);
    return (x < y) - (x > y);
}

static void list_rows(struct stage_log *log, enum stage_list list, const char *title,
                      const struct check_row *const *rows, size_t count)
{
    struct stage_finding *out = mem_zero(STAGE_FINDINGS, sizeof *out);

    for (size_t i = 0; i < count && i < STAGE_FINDINGS; i++) {
        struct str quantity = {0};
        check_quantity(rows[i], &quantity);
        snprintf(out[i].what, sizeof out[i].what, "%s", rows[i]->form);
        snprintf(out[i].note, sizeof out[i].note, "%s", str_text(&quantity));
        out[i].measured = rows[i]->measured;
        out[i].predicted = rows[i]->predicted;
        str_done(&quantity);
    }
    stage_log_list(log, list, title, out, count);
    free(out);
}

/* Copies the rows so far for the view. */
static void post(struct checking *w)
{
    struct check *now = check_copy(w->check);

    check_sort(now);
    check_free(atomic_exchange(&w->so_far, now));
}

/* Reports progress. Every TELL_SECONDS and at the end, also reports the last measured rows and the
 * rows with the largest differences. */
static void tell(struct checking *w, double done, double total, const char *what)
{
    const struct check *c = w->check;
    const bool due = clock_seconds() >= w->filled + TELL_SECONDS || done >= total;
    size_t known = 0, wrong = 0;

    job_progress(done, total, "%s", what);
    if (!due) {
        stage_log_step(w->log, done, total, NAN, what);
        return;
    }
    w->filled = clock_seconds();
    const struct check_row **rows = mem_alloc((c->count + 1) * sizeof *rows);
    for (size_t i = c->count; i-- > 0;)
        if (isfinite(c->rows[i].measured) && isfinite(c->rows[i].predicted))
            rows[known++] = &c->rows[i];
    list_rows(w->log, STAGE_WORST, "last measured values", rows, known);
    for (size_t i = 0; i < known; i++)
        if (check_disagrees(rows[i]))
            rows[wrong++] = rows[i];
    if (wrong)
        qsort(rows, wrong, sizeof *rows, weightier_first);
    char title[96];
    snprintf(title, sizeof title, "%.40s, differences: %zu of %zu", c->machine, wrong, known);
    list_rows(w->log, STAGE_DIFFERENCES, title, rows, wrong);
    stage_log_step(w->log, done, total, known ? (double)wrong / (double)known : NAN, what);
    free(rows);
    post(w);
}

static void take_result(void *state, size_t index, const struct measured *m)
{
    struct checking *w = state;
    struct check_row *row = &w->check->rows[index];

    /* An unconfirmed time does not refute the table, because the core may have been busy. */
    row->measured = experiment_state_open(m->state) ? NAN : m->cycles;
    row->spread = m->spread;
    snprintf(row->state, sizeof row->state, "%s", m->state);
}

static void progress(void *state, const struct runner_summary *so_far, size_t total)
{
    struct checking *w = state;
    char what[64];

    snprintf(what, sizeof what, "%zu throughput%s", so_far->done, plural(so_far->done));
    tell(w, so_far->share * (double)total, 2 * (double)total, what);
}

/* Makes one row of the check and one experiment for each form, in the same order. */
static void make_rows(struct checking *w)
{
    double *predicted;

    for (size_t i = 0; i < w->names.count; i++) {
        struct experiment e = {0};
        experiment_add(&e, w->names.items[i], 1);
        experiments_add_named(w->table, &e);
        experiment_done(&e);
        snprintf(check_add(w->check, w->names.items[i], w->uses.items[i])->state, 96,
                 PENDING);
    }
    predicted = mem_alloc((w->names.count + 1) * sizeof *predicted);
    machine_predict(w->machine, w->table, predicted);
    for (size_t i = 0; i < w->names.count; i++)
        w->check->rows[i].predicted = predicted[i];
    free(predicted);
}

/* Computes the latencies of a simulated CPU along the chains of @code. Returns their number. */
static size_t simulate_latencies(const struct checking *w, const struct form_code *code,
                                 struct latency *out)
{
    struct chain chains[CHAINS_MAX];
    size_t n = chain_list(code, chains);

    for (size_t i = 0; i < n; i++)
        out[i] = (struct latency){.chain = chains[i],
                                  .cycles = chain_cycles(w->simulated, code, &chains[i]),
                                  .spread = 0,
                                  .state = "ok"};
    return n;
}

static bool check_latencies(struct checking *w, size_t index, struct source *source,
                            struct err *err)
{
    struct latency latencies[CHAINS_MAX];
    const struct form_row *row = forms_find(w->forms, w->names.items[index]);
    struct form_code *code = row ? encodings_code_any(row, NULL) : NULL;

    if (!code)
        return true;
    size_t n = w->simulated ? simulate_latencies(w, code, latencies)
                            : latency_measure(source_cpu_sandbox(source),
                                              source_cpu_calibration(source), code, latencies, err);
    for (size_t i = 0; n != SIZE_MAX && i < n; i++) {
        struct check_row *found = check_add(w->check, w->names.items[index], w->uses.items[index]);
        found->latency = true;
        found->chain = latencies[i].chain;
        found->measured = latencies[i].cycles;
        found->spread = latencies[i].spread;
        found->predicted = chain_cycles(w->machine, code, &latencies[i].chain);
        snprintf(found->state, sizeof found->state, "%s", latencies[i].state);
    }
    form_code_free(code);
    return n != SIZE_MAX;
}

static bool check_all(struct checking *w, struct source *source, struct err *err)
{
    const struct runner_options options = {.budget = SHARE * w->seconds, .one_length = true};
    const struct runner_hooks hooks = {
        .cancelled = job_cancelled, .result = take_result, .progress = progress, .state = w};
    struct runner_summary summary;
    size_t count = w->names.count;
    char what[96];
    bool ok = runner_run(source, w->table, NULL, &options, &hooks, &summary, err);

    w->measured = ok ? summary.done : 0;
    for (size_t i = 0; ok && i < count; i++)
        if (strcmp(w->check->rows[i].state, PENDING) == 0)
            snprintf(w->check->rows[i].state, sizeof w->check->rows[i].state,
                     "not measured: time limit reached");
    for (size_t i = 0; ok && i < count; i++) {
        if (clock_seconds() >= w->until) {
            w->without_latency = count - i;
            break;
        }
        snprintf(what, sizeof what, "latencies of %s", w->names.items[i]);
        tell(w, (double)(count + i), 2 * (double)count, what);
        ok = check_latencies(w, i, source, err) && watch_goes_on(err);
    }
    return ok;
}

static bool check_run(void *state, struct result *result, struct err *err)
{
    struct checking *w = state;

    w->until = clock_seconds() + w->seconds;
    w->table = experiments_new();
    make_rows(w);
    struct source *source =
        w->simulated ? source_simulated(w->simulated->mapping, 0.001, 1)
                     : source_cpu(w->forms, -1, 0, &crew_threads, job_cancelled, NULL, err);
    if (source && !w->simulated) {
        sandbox_cancel_by(source_cpu_sandbox(source), job_cancelled, NULL);
        source_cpu_record(source, w->session->document.record);
    }
    bool ok = source && check_all(w, source, err);
    source_free(source);
    tell(w, 1, 1, "all forms");
    if (ok)
        check_sort(w->check);
    return ok;
}

static void add_rows(const struct check *c, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT, .width = 34},
        {.key = "quantity", .kind = CELL_TEXT, .width = 20},
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = 4, .hide = NOT_TEXT},
        {.key = "predicted", .title = "table", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "uses", .kind = CELL_NUMBER, .decimals = 0, .width = 8},
        {.key = "disagrees", .kind = CELL_SWITCH, .hide = NOT_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    struct result_table *shown = RESULT_TABLE(result, "disagreements", columns);
    struct str quantity = {0};

    t->hide = NOT_TEXT | NOT_DOCUMENT;
    shown->hide = NOT_CSV | NOT_JSON;
    for (size_t i = 0; i < c->count; i++) {
        const struct check_row *row = &c->rows[i];
        str_clear(&quantity);
        check_quantity(row, &quantity);
        for (int pass = 0; pass < 1 + (check_disagrees(row) && table_rows(shown) < SHOWN); pass++) {
            struct result_table *to = pass ? shown : t;
            cell_text(to, row->form);
            cell_text(to, str_text(&quantity));
            cell_number(to, row->measured);
            cell_number(to, row->spread);
            cell_number(to, row->predicted);
            cell_number(to, row->uses);
            cell_switch(to, check_disagrees(row));
            cell_text(to, row->state);
        }
    }
    str_done(&quantity);
}

static void show(const struct checking *w, struct result *result)
{
    const struct check *c = w->check;
    size_t known = 0, wrong = 0;

    for (size_t i = 0; i < c->count; i++) {
        known += isfinite(c->rows[i].measured) && isfinite(c->rows[i].predicted);
        wrong += check_disagrees(&c->rows[i]);
    }
    result_line(
        result,
        "%s compared with %s: %zu throughput%s and latencies of %zu form%s; differences: %zu of "
        "%zu",
        c->machine, c->cpu, w->measured, plural(w->measured), w->names.count,
        plural(w->names.count), wrong, known);
    if (w->without_latency)
        result_line(result, "time limit reached: latencies of %zu form%s not measured",
                    w->without_latency, plural(w->without_latency));
    result_text(result, "machine", c->machine);
    result_text(result, "cpu", c->cpu);
    result_text(result, "date", c->date);
    result_count(result, "compared", (int64_t)known);
    result_count(result, "wrong", (int64_t)wrong);
    add_rows(c, result);
    if (wrong)
        result_line(result, "view check shows all values with the executed code; machine correct "
                            "FORM saves the measured values");
}

static void put(struct session *s, struct check *take_check)
{
    check_free(s->document.check);
    s->document.check = take_check;
}

void check_publish(struct session *s)
{
    struct checking *w = s->checking;

    struct check *so_far = w ? atomic_exchange(&w->so_far, NULL) : NULL;
    if (so_far)
        put(s, so_far);
}

static bool check_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct checking *w = state;

    show(w, result);
    put(s, w->check);
    w->check = NULL;
    if (s->checking == w)
        s->checking = NULL;   /* A partial result must not replace the final result. */
    return true;
}

static void checking_free(void *state)
{
    struct checking *w = state;
    if (w->session->checking == w) {
        check_publish(w->session);   /* Publishes the rows of a cancelled check. */
        w->session->checking = NULL;
    }
    check_free(w->so_far);
    vec_free_texts(&w->names);
    vec_done(&w->uses);
    machine_free(w->machine);
    machine_free(w->simulated);
    forms_free(w->forms);
    experiments_free(w->table);
    check_free(w->check);
    if (w->log)
        stage_log_end(w->log);
    stage_log_free(w->log);
    free(w);
}

struct check_values {
    struct word_list forms;
    size_t top;
    double seconds;
    const char *machine, *simulate;
};

/* Chooses the forms that match the patterns; without patterns the most frequent forms, in this
 * order. Omits forms that cannot be measured on this CPU or the simulated CPU. Returns false with
 * err on failure. */
static bool choose_forms(struct checking *w, const struct check_values *v, struct err *err)
{
    size_t count;
    struct form_uses *uses =
        v->forms.count ? form_uses_load(forms_isa(w->forms), &count, err)
                       : form_uses_measurable(w->forms, w->simulated != NULL, v->top, &count, err);
    char why[96];

    if (!uses)
        return false;
    for (size_t i = 0; i < count && !v->forms.count; i++) {
        vec_push(&w->names, mem_strdup(uses[i].form));
        vec_push(&w->uses, uses[i].uses);
    }
    for (size_t i = 0; v->forms.count && i < forms_count(w->forms); i++) {
        const struct form_row *row = forms_at(w->forms, i);
        bool selected = false;
        double found = 0;
        for (size_t k = 0; k < v->forms.count; k++)
            selected |= str_match(v->forms.items[k], row->form);
        if (!selected ||
            !(w->simulated ? form_has_code(row) : !form_measurable(row, why, sizeof why)))
            continue;
        for (size_t k = 0; k < count && found == 0; k++)
            found = strcmp(uses[k].form, row->form) == 0 ? uses[k].uses : 0;
        vec_push(&w->names, mem_strdup(row->form));
        vec_push(&w->uses, found);
    }
    form_uses_free(uses, count);
    return w->names.count ||
           err_set(err, ERR_USAGE,
                   "forms list shows the measurable forms, and why other forms cannot be measured",
                   "no measurable form matches the patterns");
}

/* Returns the name of the checked CPU, which the caller frees: the title of its machine up to the
 * parenthesis, otherwise the name that the CPU reports; "simulated ID" for a simulated CPU. */
static char *cpu_title(const struct session *s, const char *simulated)
{
    const char *title = s->document.here.title, *end = title ? strstr(title, " (") : NULL;
    char name[64];

    if (simulated) {
        snprintf(name, sizeof name, "simulated %.40s", simulated);
        return mem_strdup(name);
    }
    return end ? mem_strndup(title, (size_t)(end - title))
               : mem_strdup(cpu_name(name, sizeof name));
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"measures", check_run, check_finish, checking_free,
                                        .listed = TASK_LISTED};
    const struct check_values *v = values;
    const struct machine *simulated = v->simulate ? session_machine(s, v->simulate, err) : NULL;
    enum isa isa = isa_host();

    if (v->simulate && !simulated)
        return false;
    if (simulated)
        isa_parse(simulated->isa, &isa);   /* Accepts any instruction set, because nothing is
                                            * executed. */
    bool native = s->document.here.id && s->document.here.isa == isa;
    const struct machine *m = v->machine ? session_machine(s, v->machine, err)
                              : native   ? session_machine(s, s->document.here.id, err)
                                         : session_current(s, err);
    struct forms *forms = m ? session_forms(s, isa, err) : NULL;

    if (!forms)
        return false;
    if (strcmp(m->isa, isa_name(isa)) != 0 && simulated)
        return err_set(err, ERR_USAGE, "give two machines with the same instruction set",
                       "%s is a machine for %s, but %s is a machine for %s", m->id, m->isa,
                       simulated->id, simulated->isa);
    if (strcmp(m->isa, isa_name(isa)) != 0)
        return err_set(
            err, ERR_USAGE, "use --machine to select a machine with this CPU's instruction set",
            "this CPU executes %s, but %s is a machine for %s", isa_name(isa), m->id, m->isa);
    struct checking *w = mem_zero(1, sizeof *w);
    char *cpu = cpu_title(s, v->simulate), title[128];
    w->session = s;
    w->seconds = v->seconds;
    w->machine = machine_copy(m);
    w->simulated = simulated ? machine_copy(simulated) : NULL;
    w->forms = forms_hold(forms);
    w->check = check_new(m, cpu, v->simulate);
    snprintf(title, sizeof title, "check of %.40s, %.48s", m->id, cpu);
    free(cpu);
    if (!choose_forms(w, v, err) ||
        (!simulated && !job_may_measure("machine check", false, err))) {
        checking_free(w);
        return false;
    }
    w->log = lab_log_begin(s, title, "disagree");
    s->checking = w;
    s->in_view = s->views ? "check" : NULL;
    task->measures = !simulated;
    return task_give(task, &ops, w);
}

const struct command command_machine_check = {
    .name = "machine check",
    .help = "measure forms on this CPU and compare the results with a machine's tables",
    .description = "Measures throughput, and latency of each pair of operands. Differences of more "
                   "than 5 % are sorted by their total cycles in the programs of a Debian system "
                   "(data/frequency). Latencies are predicted for the measured chains.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FORM", struct check_values, forms),
         .fallback = "the most frequent forms", .complete = COMPLETE_FORM,
         .help = "forms to check; * and ? are wildcards"}),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--top", struct check_values, top), .value = "N", .least = 1,
         .most = 100000, .initial = INITIAL(TOP),
         .help = "without FORM: number of forms to check, most frequent first"},
        {PARAMETER(DURATION, "--seconds", struct check_values, seconds), .value = "T", .least = 0.1,
         .most = 86400, .initial = INITIAL(SECONDS), .help = "time limit"},
        MACHINE_OPTION(check_values, "this CPU's machine, otherwise the current machine",
                       "machine whose tables to check"),
        {PARAMETER(TEXT, "--simulate", struct check_values, simulate), .value = "ID",
         .complete = COMPLETE_MACHINE, .fallback = "measure this CPU",
         .help = "machine to simulate instead of measuring, as a trial"}),
    .examples = EXAMPLES("machine check --top 200 --seconds 2m",
                         "machine check 'IMUL*' 'ADD (R64, R64)'"),
    .values_size = sizeof(struct check_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare,
};
