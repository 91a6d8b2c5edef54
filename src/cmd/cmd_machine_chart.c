/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine chart */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/vec.h"
#include "chart/chart.h"
#include "chart/doubts.h"
#include "chart/imitate.h"
#include "chart/recorded.h"
#include "chart/stage_log.h"
#include "cmd/chart_paths.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "isa/cpu.h"
#include "measure/baseline.h"
#include "measure/journal.h"
#include "measure/kernel_set.h"
#include "toolchain/assemble.h"
#include "work/crew.h"
#include "work/job.h"
#include "work/pool.h"

#define CANDIDATES 600       /* forms that the core is chosen from, at most, */
#define CANDIDATES_SHARE 0.3 /* and of all, where that is more than */
#define CANDIDATES_FEW 150
#define RECORDED_PATIENCE 1e-6 /* seconds: nothing comes of waiting */
#define USES 1000            /* forms that blocks are made of, at most */
#define BLOCKS 1024
#define SIMULATED_BLOCKS 2048
#define SHOWN 20             /* forms of one kind in the text */

/* The job: measures and infers on the worker; after each stage the machine's directory is written. */
struct machine_charting {
    struct session *session;
    struct job *job;
    char *name, *directory, *journal_path, *latencies_path, *core_path, *doubts_path;
    struct machine *simulated;       /* a copy; NULL: this CPU */
    bool recorded;                   /* nothing is measured: what the journals of this CPU know */
    struct forms *forms;
    VEC(const struct form_row *) rows;
    struct block_forms uses;         /* of the last look */
    struct chart_options options;
    struct source *source;           /* while it measures this CPU */
    int cpu;
    unsigned threads;
    struct chart *chart;             /* the result */
    struct stage_log *log;           /* for those who watch */
};

/* What the job says of itself: a simulated CPU is not disturbed, journals neither. */
static bool measures(const void *state)
{
    const struct machine_charting *w = state;
    return !w->simulated && !w->recorded;
}

static bool cancelled(void *state)
{
    return job_cancelled(((struct machine_charting *)state)->job);
}

static void progress(void *state, enum chart_stage stage, double done, double total, const char *what)
{
    struct machine_charting *w = state;
    stage_log_progress(w->log, stage, done, total, what);
    job_progress(w->job, done, total, "stage %d of %d, %s: %s", (int)stage + 1, CHART_STAGES, chart_stage_names[stage], what);
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    const struct machine_charting *w = state;
    struct err err = {0};

    if (team_run(w->threads, work, work_state, &err))
        return true;
    log_add(LOG_WARN, "no threads for the chart: %s", err.what);
    return false;
}

static const char *cpu_title(const struct machine_charting *w, char name[64])
{
    return w->simulated ? w->simulated->id : cpu_name(name, 64);
}

/* What `experiments settle` is to measure. */
static bool save_doubts(const struct machine_charting *w, const struct chart *c, struct err *err)
{
    struct doubts doubts;

    doubts_of_chart(c, w->simulated ? w->simulated->id : "", true, &doubts);
    bool ok = doubts_save(&doubts, mapping_ports(c->machine->mapping), w->doubts_path, err);
    doubts_done(&doubts);
    return ok;
}

/* Where and of what the measurements are; a journal does not say that of the charts that are --recorded. */
static void set_origin(const struct machine_charting *w, struct machine *m)
{
    struct str cpu = {0}, signature = {0}, microcode = {0};
    char host[256] = "";

    if (w->recorded)
        return;
    gethostname(host, sizeof host - 1);
    machine_set_fact(m, "measured_host", *host ? host : "?", "", "");
    if (w->simulated) {
        str_addf(&cpu, "simulated %s", w->simulated->id);
    } else {
        baseline_identity(&cpu, &signature, &microcode);
        machine_set_fact(m, "measured_microcode", str_text(&microcode), "", "");
    }
    machine_set_fact(m, "measured_cpu", str_text(&cpu), "", "");
    str_done(&cpu);
    str_done(&signature);
    str_done(&microcode);
}

static bool save(void *state, enum chart_stage stage, const struct chart *so_far, struct err *err)
{
    struct machine_charting *w = state;
    struct str title = {0};
    char name[64];

    stage_log_done(w->log, stage, so_far);
    if (!so_far->machine)
        return true;
    str_addf(&title, "%s, charted%s%s", w->name, w->simulated ? " from the simulated " : " on ", cpu_title(w, name));
    machine_set_fact(so_far->machine, "title", str_text(&title), "", "");
    machine_set_fact(so_far->machine, "source", "Portolan's own measurements (machine chart)", "", "");
    set_origin(w, so_far->machine);
    str_done(&title);
    if (stage == CHART_PORTS && !machine_save(so_far->machine, w->core_path, err))
        return false;
    if (stage >= CHART_PLACES && !save_doubts(w, so_far, err))   /* again where the last look changed usages: they are of what the machine has */
        return false;
    return path_make_parents(w->directory, 0777, err) && machine_save(so_far->machine, w->directory, err);
}

static size_t latencies_of_cpu(void *state, const struct form_code *code, struct latency out[CHAINS_MAX], struct err *err)
{
    struct source *source = ((struct machine_charting *)state)->source;
    return latency_measure(source_cpu_sandbox(source), source_cpu_calibration(source), code, out, err);
}

static const struct insn *code_of(const void *blocks, size_t i, size_t *count, enum kernel_copies *kind)
{
    const struct chart_block *b = (const struct chart_block *)blocks + i;

    *count = b->count;
    *kind = b->copies;
    return b->insns;
}

static bool times_of_cpu(void *state, const struct chart_block *blocks, size_t n, double *cycles, struct err *err)
{
    struct machine_charting *w = state;
    return kernel_set_times(source_cpu_sandbox(w->source), source_cpu_calibration(w->source), code_of, blocks, n, w->options.patience, cycles, err);
}

static bool learn_encodings(struct machine_charting *w, struct err *err)
{
    return w->simulated || encodings_learn(w->rows.items, w->rows.count, err);
}

static bool chart_work(void *state, struct result *result, struct err *err)
{
    struct job *job = job_current();
    struct machine_charting *w = state;
    const struct chart_hooks hooks = {.cancelled = cancelled, .progress = progress, .stage_done = save, .team = team, .threads = w->threads, .state = w};
    struct imitation *imitation = w->simulated ? imitation_new(w->simulated, CHART_SIMULATED_NOISE, w->options.seed) : NULL;
    struct chart_cpu cpu = {NULL, w->recorded ? recorded_latencies : latencies_of_cpu, w->recorded ? recorded_times : times_of_cpu, w};

    (void)result;   /* publish fills it */
    struct machine *core = machine_load(w->core_path, NULL);   /* of an earlier run */

    w->job = job;
    w->options.core = core ? core->mapping : NULL;
    job_progress(job, 0, 0, "clock, noise and idle baseline");
    bool ok = learn_encodings(w, err) && (w->options.journal = journal_open(w->journal_path, err)) != NULL;
    if (ok)
        cpu.source = w->source = imitation ? NULL : w->recorded ? source_recorded(w->forms) : source_cpu(w->forms, w->cpu, 0, &crew_threads, cancelled, w, err);
    if (w->source && !w->recorded) {
        sandbox_cancel_by(source_cpu_sandbox(w->source), cancelled, w);
        source_cpu_record(w->source, w->session->document.record);
    }
    if (ok && (imitation || cpu.source))
        w->chart = chart_run(imitation ? imitation_cpu(imitation) : &cpu, w->rows.items, w->rows.count, &w->options, &hooks, err);
    source_free(w->source);
    imitation_free(imitation);
    journal_close(w->options.journal);
    w->options.journal = NULL;
    w->options.core = NULL;
    machine_free(core);
    return w->chart != NULL;
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
    struct result_table *t = result_table(result, "forms", columns, sizeof columns / sizeof *columns);
    struct str text = {0};

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < c->form_count; i++) {
        const struct chart_form *f = &c->forms[i];
        const struct mapping_entry *entry = c->machine ? mapping_find(c->machine->mapping, f->row->form) : NULL;
        cell_text(t, f->row->form);
        cell_text(t, chart_state_names[f->state]);
        cell_number(t, f->alone);
        str_clear(&text);
        if (entry)
            usage_print(&entry->usage, mapping_ports(c->machine->mapping), &text);
        cell_text(t, entry && !f->hidden && !f->joined ? str_text(&text) : "");
        if (entry)
            cell_count(t, entry->micro_ops);
        else
            cell_missing(t);
        cell_number(t, f->confidence);
        cell_count(t, f->experiments);
        cell_number(t, f->experiments ? f->error : NAN);
        str_clear(&text);
        if (f->untested)
            portset_print(f->untested, mapping_ports(c->machine->mapping), &text);
        cell_text(t, str_text(&text));
        cell_text(t, f->rival ? f->rival : "");
        cell_text(t, f->settle ? f->settle : f->check ? f->check : "");
        cell_text(t, f->reason ? f->reason : f->joined ? "joins its neighbours, several in a slot" : f->hidden ? doubts_hidden_reason(f) : "");
    }
    str_done(&text);
}

static void add_facts(const struct chart *c, struct result *result)
{
    static const struct result_column columns[] = {{.key = "fact", .kind = CELL_TEXT}, {.key = "value", .kind = CELL_TEXT}, {.key = "by", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "facts", columns, sizeof columns / sizeof *columns);

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
    result_line(result, "%zu random blocks that took no part: %.1f %% covered, mean error %.1f %%", r->blocks, 100.0 * (double)r->covered / (double)r->blocks, 100 * r->error);
    if (r->changed)
        result_line(result, "  the second round made %zu change%s (mean error before: %.1f %%): %s", r->changed, r->changed == 1 ? "" : "s", 100 * r->error_before, r->changes);
    if (r->worst_block)
        result_line(result, "  worst: %.2f cycles, predicted %.2f: %s", r->worst_cycles, r->worst_says, r->worst_block);
    if (r->suspects)
        result_line(result, "  in most of the blocks with a large error: %s", r->suspects);
    result_count(result, "review_blocks", (int64_t)r->blocks);
    result_count(result, "review_covered", (int64_t)r->covered);
    result_number(result, "review_error", r->error);
    result_number(result, "review_worst", r->worst);
    result_number(result, "review_error_before", r->error_before);
    result_count(result, "review_changed", (int64_t)r->changed);
}

/* The first forms of which another usage is about as likely. */
static void show_doubts(const struct chart *c, struct result *result)
{
    size_t doubtful = 0;

    for (size_t i = 0; i < c->form_count; i++)
        doubtful += c->forms[i].settle != NULL;
    if (!doubtful)
        return;
    result_line(result, "%zu form%s with another usage nearly as likely; what would tell:", doubtful, doubtful == 1 ? "" : "s");
    for (size_t i = 0, shown = 0; i < c->form_count && shown < SHOWN; i++)
        if (c->forms[i].settle) {
            result_line(result, "  %s: %s is possible; measure %s", c->forms[i].row->form, *c->forms[i].rival ? c->forms[i].rival : "no port", c->forms[i].settle);
            shown++;
        }
    result_line(result, "experiments settle NAME measures these and decides");
}

/* How many forms were never beside some ports, and the first experiment of which none has a time. */
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
        result_line(result, "%zu form%s not tested against some ports%s%s", untested, untested == 1 ? "" : "s", first ? "; experiments settle NAME measures them, as " : ": nothing that they may run beside keeps these busy",
                    first ? first->check : "");
}

static void show(const struct machine_charting *w, struct result *result)
{
    const struct chart *c = w->chart;
    const struct chart_tally t = chart_count(c);
    char name[64];

    result_line(result, "%s: %zu forms of %s charted in %zu experiments", w->name, c->form_count, cpu_title(w, name), c->table->rows.count);
    result_line(result, "%zu ports, %.0f issue slots per cycle; core of %zu forms, mean error %.2f %% of %zu experiments", (size_t)mapping_ports(c->machine->mapping)->count, c->width,
                c->core_forms, 100 * c->core_error, c->core_experiments);
    result_line(result, "%zu forms have a usage: %zu with confidence 0.9 or more, %zu with 0.5 to 0.9", t.usages, t.sure, t.likely);
    if (t.hidden)
        result_line(result, "of %zu the ports are not observable beside the core: other forms tell those of %zu, the issue width hides the others beside everything", t.hidden, t.hidden_told);
    if (t.of[CHART_UNEXPLAINED])
        result_line(result, "%zu forms whose measurements no usage explains", t.of[CHART_UNEXPLAINED]);
    if (t.of[CHART_NOT_MEASURED])
        result_line(result, "%zu forms have no time, for the reasons in the table of forms; contended ones are measured by the next run", t.of[CHART_NOT_MEASURED]);
    if (c->latencies.count)
        result_line(result, "%zu of %zu dependency chains have a latency", t.latencies, c->latencies.count);
    if (c->resumed)
        result_line(result, "%u experiments were known from %s", c->resumed, w->journal_path);
    add_facts(c, result);
    show_review(c, result);
    show_doubts(c, result);
    show_untested(c, result);
    result_line(result, "saved as machine %s in %s", w->name, w->directory);
    result_text(result, "machine", w->name);
    result_text(result, "directory", w->directory);
    result_count(result, "experiments", (int64_t)c->table->rows.count);
    result_count(result, "resumed", c->resumed);
    result_count(result, "ports", mapping_ports(c->machine->mapping)->count);
    result_number(result, "issue_width", c->width);
    result_number(result, "core_error", c->core_error);
    add_forms(c, result);
}

static bool chart_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct machine_charting *w = state;

    (void)err;
    stage_log_end(w->log);
    show(w, result);
    chart_adopt(s, w->directory, w->name);
    return true;
}

static void charting_free(void *state)
{
    struct machine_charting *w = state;
    free(w->name);
    free(w->directory);
    free(w->journal_path);
    free(w->latencies_path);
    free(w->core_path);
    free(w->doubts_path);
    machine_free(w->simulated);
    vec_done(&w->rows);
    vec_done(&w->uses);
    forms_free(w->forms);
    chart_free(w->chart);
    stage_log_free(w->log);
    free(w);
}

struct chart_values {
    const char *name, *forms, *simulate;
    double seconds, patience;
    size_t seed, cpu, top;
    bool recorded, leave_doubts;
};

static const struct parameter arguments[] = {
    {.name = "NAME", .kind = PARAMETER_TEXT, .at = offsetof(struct chart_values, name), .required = true, .help = "name of the machine that is made"},
    {0},
};

static const struct parameter options[] = {
    {.name = "--forms", .kind = PARAMETER_TEXT, .at = offsetof(struct chart_values, forms), .value = "PATTERN", .otherwise = "all forms", .complete = COMPLETE_FORM,
     .help = "forms to chart; * and ? are wildcards"},
    {.name = "--top", .kind = PARAMETER_COUNT, .at = offsetof(struct chart_values, top), .value = "N", .least = 1, .most = 1000000, .otherwise = "all that match",
     .help = "of these only the N that programs use most"},
    {.name = "--time", .kind = PARAMETER_DURATION, .at = offsetof(struct chart_values, seconds), .value = "T", .least = 0.1, .most = 864000, .initial = "60s",
     .help = "time for the search of ports, when their exact reconstruction leaves errors"},
    {.name = "--patience", .kind = PARAMETER_DURATION, .at = offsetof(struct chart_values, patience), .value = "T", .least = 0.01, .most = 8640000, .initial = "20s",
     .help = "time that each lot of experiments waits for a quiet core; what gets none is left to the next run"},
    {.name = "--simulate", .kind = PARAMETER_TEXT, .at = offsetof(struct chart_values, simulate), .value = "MACHINE", .otherwise = "measure this CPU", .complete = COMPLETE_MACHINE,
     .help = "chart a simulated CPU with this machine's tables, noise and contention"},
    {.name = "--recorded", .kind = PARAMETER_FLAG, .at = offsetof(struct chart_values, recorded), .help = "measure nothing: infer again from what the journal of this CPU knows"},
    {.name = "--leave-doubts", .kind = PARAMETER_FLAG, .at = offsetof(struct chart_values, leave_doubts), .help = "do not measure what tells usages apart that are about as likely: experiments settle does it later"},
    {.name = "--cpu", .kind = PARAMETER_COUNT, .at = offsetof(struct chart_values, cpu), .value = "N", .most = 65535, .otherwise = "all that leave each other alone, at most 4", .help = "the only CPU to measure on"},
    {.name = "--seed", .kind = PARAMETER_COUNT, .at = offsetof(struct chart_values, seed), .value = "S", .otherwise = "the setting seed", .help = "random seed"},
    {0},
};

/* "cpu.latencies.csv" beside "cpu.csv", by @what. */
static char *path_beside(const char *journal, const char *what)
{
    struct str path = {0};
    size_t length = strlen(journal);

    str_addf(&path, "%.*s%s", (int)(length > 4 ? length - 4 : length), journal, what);
    return str_take(&path);
}

/* Which forms are to be charted. */
struct chart_wish {
    const struct machine_charting *charting;
    const char *pattern;   /* NULL: all */
};

/* Whether form @row is. A simulated CPU refuses what it does not know by itself. */
static bool wanted(const void *state, const struct form_row *row)
{
    const struct chart_wish *wish = state;
    char why[96];
    return (!wish->pattern || str_match(wish->pattern, row->form)) && (wish->charting->simulated || !form_measurable(row, why, sizeof why));
}

/* Those that fit the pattern and can be measured: all, or the @top that programs use most (NOT_GIVEN: all). */
static bool choose_rows(struct machine_charting *w, const struct chart_wish *wish, size_t top, struct err *err)
{
    struct block_forms most = {0};

    if (top != NOT_GIVEN && !block_forms_choose(w->forms, top, wanted, wish, &most, err))
        return false;
    for (size_t i = 0; i < most.count; i++)
        vec_push(&w->rows, most.items[i].row);
    vec_done(&most);
    for (size_t i = 0; top == NOT_GIVEN && i < forms_count(w->forms); i++)
        if (wanted(wish, forms_at(w->forms, i)))
            vec_push(&w->rows, forms_at(w->forms, i));
    return w->rows.count || err_set(err, ERR_USAGE, "forms list shows which can be measured, and why others cannot", "no measurable form matches");
}

/* Of the forms that a simulated CPU does not know no block has a time. */
static bool wanted_in_blocks(const void *state, const struct form_row *row)
{
    const struct machine *simulated = ((const struct chart_wish *)state)->charting->simulated;
    return wanted(state, row) && (!simulated || mapping_find(simulated->mapping, row->form));
}

/* The forms that programs use most of those that are wanted, for blocks: of those that are charted. Without a list of them the chart ends without such a look. */
static void choose_uses(struct machine_charting *w, const struct chart_wish *wish, size_t top)
{
    struct err err = {0};

    if (!block_forms_choose(w->forms, top < USES ? top : USES, wanted_in_blocks, wish, &w->uses, &err))
        log_add(LOG_WARN, "no blocks at the end of the chart: %s", err.what);
    w->options.uses = w->uses.items;
    w->options.uses_count = w->uses.count;
    w->options.review_blocks = w->simulated ? SIMULATED_BLOCKS : BLOCKS;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {.doing = "charts", .work = chart_work, .publish = chart_finish, .free = charting_free, .listed = TASK_LISTED, .measures = measures, .measures_alone = true};
    const struct chart_values *v = values;
    const struct machine *m = v->simulate ? session_machine(s, v->simulate, err) : NULL;
    enum isa isa = isa_host();
    if (m)
        isa_parse(m->isa, &isa);
    struct forms *forms = v->simulate && !m ? NULL : session_forms(s, isa, err);
    struct machine_charting *w;

    if (!forms)
        return false;
    w = mem_zero(1, sizeof *w);
    w->session = s;
    w->name = mem_strdup(v->name);
    w->directory = machine_user_directory(v->name);
    w->journal_path = chart_journal_path(v->name, m ? m->id : NULL, err);
    w->latencies_path = w->journal_path ? path_beside(w->journal_path, ".latencies.csv") : NULL;
    w->core_path = w->journal_path ? path_beside(w->journal_path, ".core") : NULL;
    w->doubts_path = chart_doubts_path(v->name);
    w->simulated = m ? machine_copy(m) : NULL;
    w->recorded = v->recorded && !m;
    const struct chart_wish wish = {w, v->forms};
    w->forms = forms_hold(forms);
    w->threads = session_threads(s);
    w->options = (struct chart_options){.name = w->name, .seconds = v->seconds, .patience = v->recorded ? RECORDED_PATIENCE : v->patience, .leave_doubts = v->leave_doubts, .latencies = w->latencies_path,
        .seed = v->seed == NOT_GIVEN ? s->settings.seed : v->seed};
    if (w->journal_path && w->doubts_path && (w->directory || err_set(err, ERR_USAGE, "use a plain name", "\"%s\" cannot name a machine", v->name)) && command_cpu(v->cpu, &w->cpu, err) &&
        choose_rows(w, &wish, v->top, err)) {
        choose_uses(w, &wish, v->top);
        w->log = stage_log_new(w->name);
        stage_log_free(s->document.chart);
        s->document.chart = stage_log_hold(w->log);
        w->options.core_most = (size_t)fmin(CANDIDATES, fmax(CANDIDATES_FEW, CANDIDATES_SHARE * (double)w->rows.count));
        return task_give(task, &ops, w);
    }
    charting_free(w);
    return false;
}

static const char *const examples[] = {"machine chart mine", "machine chart trial --simulate skylake --forms '* (R64*'", NULL};

const struct command command_machine_chart = {
    .name = "machine chart",
    .help = "make a machine from measurements alone: ports and the usage of every form",
    .description = "Measures each form alone, finds forms of every behaviour by pairs, and from these the ports. Every other form is placed by experiments that keep certain ports busy. Nothing of "
                   "the shipped machines is read. Each value is kept in a journal as it comes: after an interruption the same command goes on. The machine is saved among the user's own after each "
                   "stage. The view machine shows the stages.",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct chart_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
