/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "chart/charting.h"
#include "chart/chart.h"
#include "cmd/command.h"
#include "cmd/lab_findings.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "isa/cpu.h"
#include "work/crew.h"
#include "work/job.h"
#include "work/pool.h"

#define SHOWN 20             /* maximum number of forms of one kind listed in text */
#define POOR 0.1             /* mean relative error of held-out blocks that needs a warning */

struct machine_charting {
    char *name;
    struct chart_job *charting;
    unsigned threads;
    struct record *record;           /* the session's record of measurements, for the views */
    struct chart *chart;
    struct stage_log *log;
    struct machine *tables;          /* tables of the CPU for comparison; NULL: none */
};

static void progress(void *state, enum chart_stage stage, double done, double total,
                     const char *what)
{
    const struct machine_charting *w = state;

    stage_log_progress(w->log, stage, done, total, what);
    job_progress(done, total, "stage %d of %d, %s: %s", (int)stage + 1, CHART_STAGES,
                 chart_stage_names[stage], what);
}

static void stage_done(void *state, enum chart_stage stage, const struct chart *so_far)
{
    const struct machine_charting *w = state;

    stage_log_done(w->log, stage, so_far);
    if (job_cancelled(NULL)) /* A cancelled stage predicted nothing, so the lists of the
                                  * previous stage remain. */
        return;
    if (so_far->machine) {
        stage_log_mapping(w->log, so_far->machine->mapping, so_far->table);
        lab_list_errors(w->log, STAGE_WORST, "this chart", so_far->machine, so_far->table);
    }
    if (w->tables)
        lab_list_errors(w->log, STAGE_DIFFERENCES, w->tables->id, w->tables, so_far->table);
}

static void mapping(void *state, const struct mapping *so_far, const struct experiments *table)
{
    stage_log_mapping(((const struct machine_charting *)state)->log, so_far, table);
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    struct err err = {0};

    if (team_run(((const struct machine_charting *)state)->threads, work, work_state, &err))
        return true;
    log_add(LOG_WARN, "no threads to chart the machine: %s", err.what);
    return false;
}

static bool chart_work(void *state, struct result *result, struct err *err)
{
    struct machine_charting *w = state;
    const struct charting_hooks hooks = {.cancelled = job_cancelled,
                                         .progress = progress,
                                         .mapping = mapping,
                                         .stage_done = stage_done,
                                         .team = team,
                                         .threads = w->threads,
                                         .measurers = &crew_threads,
                                         .record = w->record,
                                         .state = w};

    job_progress(0, 0, "clock, noise and idle baseline");
    return (w->chart = charting_run(w->charting, &hooks, err)) != NULL;
}

static void add_forms(const struct chart *c, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},
        {.key = "state", .kind = CELL_TEXT},
        {.key = "alone", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "usage", .kind = CELL_TEXT},
        {.key = "slots", .kind = CELL_COUNT},
        {.key = "confidence", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "experiments", .kind = CELL_COUNT},
        {.key = "error", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "not_tested_against", .title = "not tested against", .kind = CELL_TEXT},
        {.key = "rival", .kind = CELL_TEXT},
        {.key = "settle", .kind = CELL_TEXT},
        {.key = "remark", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    struct str text = {0};

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        const struct mapping_entry *entry =
            c->machine ? mapping_find(c->machine->mapping, f->row->form) : NULL;
        cell_text(t, f->row->form);
        cell_text(t, chart_state_names[f->state]);
        cell_number(t, f->alone);
        str_clear(&text);
        if (entry)
            usage_print(&entry->usage, mapping_ports(c->machine->mapping), &text);
        cell_text(t, entry && !f->hidden && !f->joined ? str_text(&text) : "");
        cell_count_if(t, entry, entry ? entry->micro_ops : 0);
        cell_number(t, f->confidence);
        cell_count(t, f->experiments);
        cell_number(t, f->experiments ? f->error : NAN);
        str_clear(&text);
        if (f->untested)
            portset_print(f->untested, mapping_ports(c->machine->mapping), &text);
        cell_text(t, str_text(&text));
        cell_text(t, f->rival ? f->rival : "");
        cell_text(t, f->settle ? f->settle : f->check ? f->check : "");
        cell_text(t, f->reason   ? f->reason
                     : f->joined ? "fuses with neighbouring instructions: several per issue slot"
                     : f->hidden ? ambiguities_hidden_reason(f)
                                 : "");
    }
    str_done(&text);
}

static void add_facts(const struct chart *c, struct result *result)
{
    static const struct result_column columns[] = {{.key = "fact", .kind = CELL_TEXT},
                                                   {.key = "value", .kind = CELL_TEXT},
                                                   {.key = "by", .kind = CELL_TEXT}};
    struct result_table *t = RESULT_TABLE(result, "facts", columns);

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < c->facts.count; i++) {
        const struct chart_fact *f = &c->facts.items[i];
        cell_text(t, f->key);
        cell_text(t, f->value ? f->value : "unknown");
        cell_text(t, f->why);
        result_line(result, "%s: %s (%s)", f->key, f->value ? f->value : "unknown", f->why);
    }
}

static void show_review(const struct chart *c, struct result *result)
{
    const struct chart_review *r = &c->review;

    if (!r->blocks)
        return;
    result_line(result, "%zu random held-out blocks: %.1f %% covered, mean error %.1f %%",
                r->blocks, 100.0 * (double)r->covered / (double)r->blocks, 100 * r->error);
    if (r->worst_block)
        result_line(result, "  worst: %.2f cycles, predicted %.2f: %s", r->worst_cycles,
                    r->worst_says, r->worst_block);
    if (r->suspects)
        result_line(result, "  forms whose blocks are mostly more than 15 %% off: %s", r->suspects);
    result_count(result, "review_blocks", (int64_t)r->blocks);
    result_count(result, "review_covered", (int64_t)r->covered);
    result_number(result, "review_error", r->error);
    result_number(result, "review_worst", r->worst);
}

/* Warns of a machine that predicts its held-out blocks badly, or lacks most facts. */
static void show_quality(const struct chart *c, struct result *result)
{
    const bool poor = c->review.blocks && c->review.error > POOR;
    size_t unknown = 0;

    for (size_t i = 0; i < c->facts.count; i++)
        unknown += !c->facts.items[i].value;
    if (poor || 2 * unknown > c->facts.count)
        result_line(result,
                    "%s%zu of %zu facts are unknown, so predictions with this machine can have "
                    "large errors. If other programs ran during the measurement, end them and run "
                    "machine chart again",
                    poor ? "held-out blocks have large errors, and " : "", unknown,
                    c->facts.count);
}

/* Lists the first forms whose usage has a similarly likely alternative. */
static void show_ambiguities(const struct chart *c, struct result *result)
{
    size_t ambiguous = 0;

    for (size_t i = 0; i < c->form_count; i++)
        ambiguous += c->forms[i].settle != NULL;
    if (!ambiguous)
        return;
    result_line(
        result,
        "%zu form%s with another, nearly as likely usage; experiments that distinguish the usages:",
        ambiguous, plural(ambiguous));
    for (size_t i = 0, shown = 0; i < c->form_count && shown < SHOWN; i++)
        if (c->forms[i].settle) {
            result_line(result, "  %s: %s is possible; measure %s", c->forms[i].row->form,
                        *c->forms[i].rival ? c->forms[i].rival : "no port", c->forms[i].settle);
            shown++;
        }
    result_line(result, "experiments settle NAME measures these experiments, and decides between "
                        "the usages");
}

/* Reports the number of forms with untested ports, and the first experiment that would test such
 * ports. */
static void show_untested(const struct chart *c, struct result *result)
{
    const struct chart_form *first = NULL;
    size_t untested = 0;

    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        untested += f->untested != 0;
        first = !first && f->check ? f : first;
    }
    if (untested)
        result_line(result, "%zu form%s not measured with some ports blocked%s%s", untested,
                    plural(untested),
                    first ? "; experiments settle NAME measures them, for example "
                          : ": no saturator of these ports can run with these forms",
                    first ? first->check : "");
}

static void show(const struct machine_charting *w, struct result *result)
{
    const struct chart *c = w->chart;
    const struct chart_tally t = chart_count(c);
    char name[64];

    result_line(result, "%s: %zu form%s of %s charted in %zu experiment%s", w->name, c->form_count,
                plural(c->form_count), charting_title(w->charting, name), c->table->rows.count,
                plural(c->table->rows.count));
    result_line(result,
                "%zu ports, %.0f issue slots per cycle; core of %zu forms, mean error %.2f %% in "
                "%zu experiments",
                (size_t)mapping_ports(c->machine->mapping)->count, c->width, c->core_forms,
                100 * c->core_error, c->core_experiments);
    result_line(result,
                "%zu form%s %s a usage: %zu with confidence 0.9 or more, %zu with 0.5 to 0.9",
                t.usages, plural(t.usages), t.usages == 1 ? "has" : "have", t.sure, t.likely);
    if (t.hidden)
        result_line(
            result,
            "forms whose ports are not observable with the core forms: %zu. Experiments with other "
            "forms determine the ports of %zu; the issue width hides the other ports",
            t.hidden, t.hidden_settled);
    if (t.of[CHART_UNEXPLAINED])
        result_line(result, "%zu form%s %s measurements that no usage explains",
                    t.of[CHART_UNEXPLAINED], plural(t.of[CHART_UNEXPLAINED]),
                    t.of[CHART_UNEXPLAINED] == 1 ? "has" : "have");
    if (t.of[CHART_NOT_MEASURED])
        result_line(result,
                    "%zu form%s %s no stable time; the table of forms states the reasons. The "
                    "next run measures contended forms",
                    t.of[CHART_NOT_MEASURED], plural(t.of[CHART_NOT_MEASURED]),
                    t.of[CHART_NOT_MEASURED] == 1 ? "has" : "have");
    if (c->latencies.count)
        result_line(result, "dependency chains with a latency: %zu of %zu", t.latencies,
                    c->latencies.count);
    if (c->resumed)
        result_line(result, "%u result%s %s read from the journal %s", c->resumed,
                    plural(c->resumed), c->resumed == 1 ? "was" : "were",
                    charting_journal(w->charting));
    add_facts(c, result);
    show_review(c, result);
    show_quality(c, result);
    show_ambiguities(c, result);
    show_untested(c, result);
    result_line(result, "saved as machine %s in %s", w->name, charting_directory(w->charting));
    result_text(result, "machine", w->name);
    result_text(result, "directory", charting_directory(w->charting));
    result_count(result, "experiments", (int64_t)c->table->rows.count);
    result_count(result, "resumed", c->resumed);
    result_count(result, "ports", mapping_ports(c->machine->mapping)->count);
    result_number(result, "issue_width", c->width);
    result_number(result, "core_error", c->core_error);
    add_forms(c, result);
}

void chart_adopt(struct session *s, const char *directory, const char *name)
{
    struct err err = {0};
    struct machine *m = machine_load(directory, &err);

    if (!m) {
        log_add(LOG_ERROR, "%s", err.what);
        return;
    }
    free(m->id);
    m->id = mem_strdup(name);
    session_add_machine(s, m);
}

static bool chart_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct machine_charting *w = state;

    show(w, result);
    chart_adopt(s, charting_directory(w->charting), w->name);
    return true;
}

static void machine_charting_free(void *state)
{
    struct machine_charting *w = state;
    chart_free(w->chart);
    charting_free(w->charting);
    stage_log_end(w->log);
    stage_log_free(w->log);
    machine_free(w->tables);
    free(w->name);
    free(w);
}

struct chart_values {
    const char *name, *forms, *simulate;
    double patience;
    size_t seed, cpu, top;
    bool recorded, leave_ambiguities;
};

/* Returns a copy of the machine with the tables of the charted CPU: @simulated, or this computer's
 * machine. Returns NULL if there is none. */
static struct machine *tables_of(struct session *s, const struct machine *simulated, enum isa isa)
{
    const struct here *here = &s->document.here;
    struct err none = {0};
    const struct machine *m = simulated                      ? simulated
                              : here->id && here->isa == isa ? session_machine(s, here->id, &none)
                                                             : NULL;

    return m ? machine_copy(m) : NULL;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"charts", chart_work, chart_finish, machine_charting_free,
                                        .listed = TASK_LISTED, .measures_alone = true};
    const struct chart_values *v = values;
    const struct machine *m = v->simulate ? session_machine(s, v->simulate, err) : NULL;
    enum isa isa = isa_host();
    int cpu;

    if (m)
        isa_parse(m->isa, &isa);
    struct forms *forms = v->simulate && !m ? NULL : session_forms(s, isa, err);
    if (!forms || !command_cpu(v->cpu, &cpu, err))
        return false;
    const struct charting_request request = {.name = v->name,
                                             .forms = forms,
                                             .patterns = &v->forms,
                                             .pattern_count = v->forms != NULL,
                                             .top = v->top == NOT_GIVEN ? SIZE_MAX : v->top,
                                             .simulated = m,
                                             .recorded = v->recorded,
                                             .leave_ambiguities = v->leave_ambiguities,
                                             .patience = v->patience,
                                             .seed =
                                                 v->seed == NOT_GIVEN ? s->settings.seed : v->seed,
                                             .cpu = cpu};
    struct chart_job *charting = charting_new(&request, err);
    if (!charting)
        return false;
    task->measures = charting_measures(charting);
    if (task->measures && !job_may_measure("machine chart", true, err)) {
        charting_free(charting);
        return false;
    }
    struct machine_charting *w = mem_zero(1, sizeof *w);
    char title[96];
    s->in_view = s->views ? "matrix" : NULL;
    snprintf(title, sizeof title, "chart of %.64s", v->name);
    *w = (struct machine_charting){.name = mem_strdup(v->name),
                                   .charting = charting,
                                   .threads = session_threads(s),
                                   .record = s->document.record,
                                   .log = lab_log_begin(s, title, "of the stage"),
                                   .tables = tables_of(s, m, isa)};
    return task_give(task, &ops, w);
}

const struct command command_machine_chart = {
    .name = "machine chart",
    .meant = "characterise characterize discover",
    .help = "make a machine from measurements only: ports and the usage of every form",
    .description =
        "Measures each form alone. Pairs of forms then show classes of forms with equal behaviour, "
        "which determine the ports. Experiments that keep certain ports busy determine the usages "
        "of all other forms. Shipped machines are not used. Each value is written to a journal at "
        "once: after an interruption the same command continues. The machine is saved among your "
        "own machines after each stage from stage 3 (ports) on. The view matrix shows the mapping "
        "so far, the view search shows the stages.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "NAME", struct chart_values, name), .required = true,
         .help = "name of the new machine"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--forms", struct chart_values, forms), .value = "PATTERN",
         .fallback = "all forms", .complete = COMPLETE_FORM,
         .help = "forms to chart; * and ? are wildcards"},
        {PARAMETER(COUNT, "--top", struct chart_values, top), .value = "N", .least = 1,
         .most = 1000000, .fallback = "all that match",
         .help = "chart only the N most frequent of these forms"},
        {PARAMETER(DURATION, "--patience", struct chart_values, patience), .value = "T",
         .least = 0.01, .most = 8640000, .initial = "20s",
         .help = "time that each batch waits for an idle core; the next run measures the remaining "
                 "experiments"},
        {PARAMETER(TEXT, "--simulate", struct chart_values, simulate), .value = "MACHINE",
         .fallback = "measure this CPU", .complete = COMPLETE_MACHINE,
         .help = "chart a simulation of MACHINE, with noise and contention, instead of this CPU"},
        {PARAMETER(FLAG, "--recorded", struct chart_values, recorded),
         .help = "infer again from this CPU's journal without measuring"},
        {PARAMETER(FLAG, "--leave-doubts", struct chart_values, leave_ambiguities),
         .help = "skip experiments that decide between equally likely usages; experiments settle "
                 "measures them later"},
        {PARAMETER(COUNT, "--cpu", struct chart_values, cpu), .value = "N", .most = 65535,
         .fallback = "all CPUs that do not disturb each other, at most 4",
         .help = "measure only on CPU N; numbers start at 0"},
        {PARAMETER(COUNT, "--seed", struct chart_values, seed), .value = "S",
         .fallback = "the setting seed", .help = "random seed"}),
    .examples = EXAMPLES("machine chart mine",
                         "machine chart trial --simulate skylake --forms '* (R64*'"),
    .values_size = sizeof(struct chart_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare,
};
