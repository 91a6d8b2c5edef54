/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chain_cycles.h"
#include "analysis/port_names.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "io/machine_user.h"
#include "measure/cpu_source.h"
#include "measure/learn.h"
#include "throughput/predict.h"
#include "toolchain/assemble.h"
#include "work/crew.h"
#include "work/job.h"

/* largest share of the difference that may remain after an accepted correction */
#define BETTER 0.5

struct correction {
    struct check_row row;      /* row of the check; the form's name is an owned copy */
    bool written;
    struct usage usage;        /* corrected usage, if the row is a throughput */
    unsigned micro_ops;
    /* corrected latency, if the row is a latency; its form and source are borrowed */
    struct latency_rule rule;
    double predicted;          /* cycles that the corrected machine predicts; NaN: unknown */
    char reason[160];          /* reason why the row was not corrected */
};

/* State of the job of machine correct. The worker finds and verifies corrections on a copy of the
 * machine, and writes it; the UI thread loads the result. */
struct correcting {
    struct machine *machine;   /* copy of the machine that gets the corrections */
    struct machine *simulated; /* simulated machine; NULL: this CPU */
    struct forms *forms;
    VEC(struct correction) list;
    char *source;              /* source of each correction: "measured on ..." */
    char *id, *base, *title;   /* names of the user's machine */
    char *path;                /* output directory; NULL: nothing was written */
};

/* Returns the latency between operands @from and @to in the current tables; 1 if unknown. */
static double latency_now(const struct machine *m, const char *form, int from, int to)
{
    const struct mapping_entry *entry = mapping_find(m->mapping, form);

    for (size_t i = 0; i < m->latency_count; i++) {
        const struct latency_rule *r = &m->latencies[i];
        if (latency_rule_fits(r, from, to) && str_match(r->form, form))
            return r->cycles;
    }
    return entry && !isnan(entry->latency) ? entry->latency : 1;
}

static bool is_better(const struct correction *c)
{
    return fabs(c->predicted - c->row.measured) <=
           fmax(BETTER * fabs(c->row.predicted - c->row.measured), CHECK_CYCLES);
}

static void correct_latency(struct correcting *w, struct correction *c)
{
    const struct form_row *row = forms_find(w->forms, c->row.form);
    struct err err = {0};
    int from, to;

    if (!chain_ends(&c->row.chain, &from, &to)) {
        snprintf(c->reason, sizeof c->reason,
                 "the chain contains other forms, so the latency of this form is not determined");
        return;
    }
    double cycles =
        latency_now(w->machine, c->row.form, from, to) + c->row.measured - c->row.predicted;
    cycles = fabs(cycles - rint(cycles)) < 0.1 ? rint(cycles) : cycles;
    struct machine *tried = machine_copy(w->machine);
    struct form_code *code = row ? encodings_code_any(row, &err) : NULL;
    machine_put_latency(tried, c->row.form, from, to, fmax(cycles, 0), w->source);
    c->predicted = code ? chain_cycles(tried, code, &c->row.chain) : NAN;
    form_code_free(code);
    c->rule = (struct latency_rule){.form = c->row.form,
                                    .from = from,
                                    .to = to,
                                    .cycles = fmax(cycles, 0),
                                    .source = w->source};
    c->written = is_better(c);
    if (c->written)
        machine_put_latency(w->machine, c->row.form, from, to, c->rule.cycles, w->source);
    else
        snprintf(c->reason, sizeof c->reason,
                 "a latency of %.2f cycles does not explain the time: it predicts %.2f cycles",
                 cycles, c->predicted);
    machine_free(tried);
}

static double predict_alone(const struct machine *m, const char *form)
{
    struct experiments *t = experiments_new();
    struct experiment e = {0};
    double cycles;

    experiment_add(&e, form, 1);
    experiments_add_named(t, &e);
    machine_predict(m, t, &cycles);
    experiment_done(&e);
    experiments_free(t);
    return cycles;
}

static void correct_throughput(struct correcting *w, struct learner *learner, struct correction *c)
{
    struct learned learned = {0};
    struct err err = {0};

    if (!learn_form(learner, c->row.form, &learned, &err)) {
        snprintf(c->reason, sizeof c->reason, "%.150s", err.what);
        return;
    }
    const struct mapping_entry *old = mapping_find(w->machine->mapping, c->row.form);
    struct mapping_entry entry = {.form = c->row.form,
                                  .usage = learned.usage,
                                  .latency = old ? old->latency : NAN,
                                  .micro_ops = learned.micro_ops,
                                  .source = w->source};
    struct machine *tried = machine_copy(w->machine);
    mapping_set(tried->mapping, &entry);
    c->predicted = predict_alone(tried, c->row.form);
    c->written = is_better(c);
    if (c->written) {
        mapping_set(w->machine->mapping, &entry);
        usage_copy(&c->usage, &learned.usage);
        c->micro_ops = learned.micro_ops;
    } else {
        snprintf(c->reason, sizeof c->reason,
                 "the learned usage does not explain the time: it predicts %.2f cycles",
                 c->predicted);
    }
    machine_free(tried);
    learned_done(&learned);
}

/* Learns usages from experiments with known forms. Corrects the forms whose throughputs disagree.
 * Returns false with err if this CPU cannot be measured, or after a cancellation. */
static bool correct_throughputs(struct correcting *w, struct err *err)
{
    bool any = false;

    for (size_t i = 0; i < w->list.count; i++) {
        struct correction *c = &w->list.items[i];
        if (!c->row.latency && forms_find(w->forms, c->row.form))
            any = true;
        else if (!c->row.latency)
            snprintf(c->reason, sizeof c->reason, "no known form has this name");
    }
    if (!any)
        return true;
    job_progress(0, (double)w->list.count, "searching for blocking forms");
    struct source *source =
        w->simulated ? source_simulated(w->simulated->mapping, 0.001, 1)
                     : source_cpu(w->forms, -1, 0, &crew_threads, job_cancelled, NULL, err);
    struct learner *learner =
        source ? learner_new(source, w->machine->mapping, machine_number(w->machine, "issue_width"),
                             job_cancelled, NULL, err)
               : NULL;
    for (size_t i = 0; learner && i < w->list.count && !job_cancelled(NULL); i++) {
        job_progress((double)i, (double)w->list.count, "%s", w->list.items[i].row.form);
        if (!w->list.items[i].row.latency && forms_find(w->forms, w->list.items[i].row.form))
            correct_throughput(w, learner, &w->list.items[i]);
    }
    bool ok = learner != NULL;
    learner_free(learner);
    source_free(source);
    return ok && watch_goes_on(err);
}

static bool write_all(struct correcting *w, struct err *err)
{
    VEC(struct mapping_entry) entries = {0};
    VEC(struct latency_rule) rules = {0};

    for (size_t i = 0; i < w->list.count; i++) {
        struct correction *c = &w->list.items[i];
        if (c->written && c->row.latency)
            vec_push(&rules, c->rule);
        else if (c->written)
            vec_push(&entries,
                     ((struct mapping_entry){c->row.form, c->usage, NAN, c->micro_ops, w->source}));
    }
    struct corrections all = {entries.items, entries.count, rules.items, rules.count};
    bool ok = !(entries.count + rules.count) ||
              machine_user_correct(w->id, w->base, w->title, &all,
                                   mapping_ports(w->machine->mapping), &w->path, err);
    vec_done(&entries);
    vec_done(&rules);
    return ok;
}

static bool correct_run(void *state, struct result *result, struct err *err)
{
    struct correcting *w = state;

    for (size_t i = 0; i < w->list.count; i++)
        if (w->list.items[i].row.latency)
            correct_latency(w, &w->list.items[i]);
    return correct_throughputs(w, err) && write_all(w, err);
}

static void add_row(const struct correcting *w, struct result_table *t, const struct correction *c)
{
    struct str text = {0};
    struct ports shown;

    ports_shown(w->machine, &shown);
    cell_text(t, c->row.form);
    check_quantity(&c->row, &text);
    cell_text(t, str_text(&text));
    cell_number(t, c->row.measured);
    cell_number(t, c->row.predicted);
    cell_number(t, c->written ? c->predicted : NAN);
    str_clear(&text);
    if (!c->written)
        str_addf(&text, "not written: %s", c->reason);
    else if (c->row.latency)
        str_addf(&text, "latency %.4g", c->rule.cycles);
    else
        usage_print(&c->usage, &shown, &text);
    cell_text(t, str_text(&text));
    str_done(&text);
}

/* Replaces the checked machine of the session with the corrected machine. Returns false with err on
 * failure. */
static bool load_corrected(struct session *s, const struct correcting *w, struct err *err)
{
    struct machine *m = machine_load(w->id, err);
    struct document *d = &s->document;

    if (!m)
        return false;
    if (d->here.id && (strcmp(d->here.id, w->base) == 0 || strcmp(d->here.id, w->id) == 0)) {
        free(d->here.id);
        d->here.id = mem_strdup(w->id);
    }
    session_add_machine(s, m);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        for (size_t i = 0; i < d->kept[isa].count; i++)
            if (strcmp(d->kept[isa].ids[i], w->base) == 0) {
                free(d->kept[isa].ids[i]);
                d->kept[isa].ids[i] = mem_strdup(w->id);
            }
    document_show_isa(d, d->isa);
    s->revision++;
    return true;
}

static bool correct_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT, .width = 34},
        {.key = "quantity", .kind = CELL_TEXT, .width = 20},
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "before", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "after", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "correction", .kind = CELL_TEXT},
    };
    struct correcting *w = state;
    struct err none = {0};
    size_t written = 0;
    char text[1024];

    for (size_t i = 0; i < w->list.count; i++)
        written += w->list.items[i].written;
    result_line(result, "%zu of %zu corrections written%s%s", written, w->list.count,
                w->path ? " to " : "", w->path ? w->path : "");
    if (w->path && !load_corrected(s, w, &none))
        result_line(result, "%s", err_text(&none, text, sizeof text));
    result_text(result, "machine", w->id);
    result_text(result, "directory", w->path);
    result_count(result, "written", (int64_t)written);
    struct result_table *t = RESULT_TABLE(result, "corrections", columns);
    for (size_t i = 0; i < w->list.count; i++)
        add_row(w, t, &w->list.items[i]);
    return true;
}

static void correcting_free(void *state)
{
    struct correcting *w = state;
    for (size_t i = 0; i < w->list.count; i++) {
        free(w->list.items[i].row.form);
        usage_done(&w->list.items[i].usage);
    }
    vec_done(&w->list);
    machine_free(w->machine);
    machine_free(w->simulated);
    forms_free(w->forms);
    free(w->source);
    free(w->id);
    free(w->base);
    free(w->title);
    free(w->path);
    free(w);
}

struct correct_values {
    struct word_list forms;
    const char *simulate;
};

/* Copies the disagreements of @check whose forms match one of @patterns. Returns whether any row
 * matches. */
static bool choose(struct correcting *w, const struct check *check,
                   const struct word_list *patterns)
{
    bool checked = false;

    for (size_t i = 0; i < check->count; i++) {
        const struct check_row *row = &check->rows[i];
        bool selected = false;
        for (size_t k = 0; k < patterns->count; k++)
            selected |= strcmp(patterns->items[k], row->form) == 0 ||
                        str_match(patterns->items[k], row->form);
        checked |= selected;
        if (!selected || !check_disagrees(row))
            continue;
        struct correction c = {.row = *row, .predicted = NAN};
        c.row.form = mem_strdup(row->form);
        vec_push(&w->list, c);
    }
    return checked;
}

/* Sets base, id, title and source of the corrected machine, which is a copy of @checked. */
static void name_machine(struct correcting *w, const struct machine *checked,
                         const struct check *check)
{
    struct str text = {0};
    size_t length = strlen(checked->id), ending = strlen(HERE_MEASURED);
    bool own = length > ending && strcmp(checked->id + length - ending, HERE_MEASURED) == 0;

    w->base = mem_strndup(checked->id, own ? length - ending : length);
    str_addf(&text, "%s" HERE_MEASURED, w->base);
    w->id = str_take(&text);
    const char *title = machine_plain_title(checked);
    str_addf(&text, "%s%s", title, own ? "" : ", corrected by measurement");
    w->title = str_take(&text);
    check_source(check, &text);
    w->source = str_take(&text);
}

/* Sets *@out to the machine that @check simulated; NULL: it measured this CPU. Returns false with
 * err if @asked (may be NULL) names another machine, or if the machine cannot be loaded. */
static bool simulated_by(struct session *s, const struct check *check, const char *asked,
                         const struct machine **out, struct err *err)
{
    *out = NULL;
    if (asked && (!check->simulated || strcmp(asked, check->simulated) != 0))
        return err_set(err, ERR_USAGE, "run machine check --simulate ID first",
                       "%s was checked, not simulated %s", check->cpu, asked);
    return !check->simulated || (*out = session_machine(s, check->simulated, err)) != NULL;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"corrects", correct_run, correct_finish, correcting_free,
                                        .listed = TASK_LISTED};
    const struct correct_values *v = values;
    const struct check *check = s->document.check;

    if (!check)
        return err_set(err, ERR_USAGE, "run machine check first", "no form has been checked");
    const struct machine *m = session_machine(s, check->machine, err), *simulated = NULL;
    struct forms *forms = m && simulated_by(s, check, v->simulate, &simulated, err)
                              ? session_forms(s, check->isa, err)
                              : NULL;
    if (!forms)
        return false;
    struct correcting *w = mem_zero(1, sizeof *w);
    const bool checked = choose(w, check, &v->forms);
    if (!w->list.count) {
        correcting_free(w);
        return err_set(err, ERR_USAGE,
                       checked ? "view check lists the forms that differ"
                               : "view check lists the checked forms",
                       checked ? "%s agrees with the tables of %s: nothing to save"
                               : "%s has not been checked against %s",
                       v->forms.items[0], check->machine);
    }
    w->machine = machine_copy(m);
    w->simulated = simulated ? machine_copy(simulated) : NULL;
    w->forms = forms_hold(forms);
    name_machine(w, m, check);
    task->measures = !simulated;
    return task_give(task, &ops, w);
}

const struct command command_machine_correct = {
    .name = "machine correct",
    .help = "save the measurements of machine check as your own machine",
    .description =
        "Corrects each difference: a latency by a rule, a throughput by a port usage learned as in "
        "kernel learn. A correction that does not explain the measurement is not saved. The new "
        "machine has the name of the checked machine with -measured appended. It is stored in "
        "$XDG_DATA_HOME/portolan/machines and becomes this CPU's machine (native).",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "FORM", struct correct_values, forms), .required = true,
         .complete = COMPLETE_FORM, .help = "forms to correct; * and ? are wildcards"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--simulate", struct correct_values, simulate), .value = "ID",
         .complete = COMPLETE_MACHINE, .fallback = "as in machine check",
         .help = "machine to simulate; must be the machine of machine check --simulate"}),
    .examples = EXAMPLES("machine correct 'IMUL (R64, R64)'", "machine correct '*'"),
    .values_size = sizeof(struct correct_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare,
};
