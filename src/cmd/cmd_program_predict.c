/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "model/facts.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/sizes.h"
#include "program/spread.h"
#include "program/pages.h"
#include "work/job.h"

/* smallest share of the time with unknown forms, estimates or inexact counts that is reported */
#define SHOWN_LEAST 0.005
/* Factor by which the time of page faults may be above or below the prediction. A page takes 14 to
 * 25 us on a virtual Zen 5 under load, 18 in the median. */
#define FAULTS_OFF 1.4

struct predict_values {
    struct word_list inputs, machines, facts;
    const char *model;
    double clock, common;
    size_t top, threads;
    bool fresh;
};

struct machine_prediction {
    struct machine *machine;
    /* whether @machine is this CPU, to which the measured clock applies */
    bool here;
    double clock;                      /* clock in GHz */
    char day[KEPT_DAY];              /* date of the memory measurement; "": not measured */
    size_t levels;                     /* number of cache levels */
    struct core_share share;           /* share of the core; valid only if @machine is this CPU */
    /* seconds with the whole core, which other tasks may leave during a run; @time.seconds if the
     * core is not shared */
    double alone;
    struct system_cost cost;           /* costs of the start and of page faults; valid only if
                                        * @machine is this CPU */
    double faults;                     /* number of page faults; NaN: unknown */
    struct program_time time;
    struct time_spread spread;         /* uncertainty of the time due to the counts */
    bool done;
    /* reason why there is no prediction; valid if @done is false */
    struct err why;
};

/* A fact of the command line. Its value replaces each machine's value. */
struct given_fact {
    const struct fact *fact;
    double value;
};

struct predicting {
    const struct program_model *model;
    VEC(struct given_fact) facts;
    /* clock NaN: each machine's own clock, or this CPU's measured clock */
    const struct predict_values *given;
    double inputs[INPUTS_MAX];
    bool same_blocks;              /* whether the compiler generates the blocks of the runs */
    /* reason why the blocks are not compared with those of the runs; code ERR_NONE: they are */
    struct err unbuilt;
    enum estimate_model kind;
    VEC(struct machine_prediction) outcomes;
};

static bool predict_one(const struct predicting *p, struct estimator *e,
                        struct machine_prediction *o, struct err *err)
{
    const struct core_share alone = {1, 1, 0, 0};
    struct memory memory;
    char text[40];

    if (o->here && !native_known(o->machine, p->given->fresh, o->day, err))
        return false;
    estimator_set_share(e, &alone);
    estimator_set_fault(e, 0);
    if (o->here)
        estimator_meet_here(e, o->machine);
    o->share = estimator_share(e);
    for (size_t i = 0; i < p->facts.count; i++) {
        const struct given_fact *g = &p->facts.items[i];
        snprintf(text, sizeof text, "%.12g", g->value);
        machine_set_fact(o->machine, g->fact->key, text, g->fact->unit, "given");
    }
    snprintf(text, sizeof text, "%.12g", p->given->clock);
    if (!isnan(p->given->clock))
        machine_set_fact(o->machine, "clock", text, "GHz", "given");
    o->faults = estimator_run(e)->faults;
    if (o->here && !estimator_meet_system(e, o->machine, &o->cost, err))
        return false;
    o->done =
        memory_of(o->machine, &memory, err) && estimator_time(e, o->machine, NULL, &o->time, err);
    o->alone = o->time.seconds;
    if (o->done && (o->share.slots < 1 || o->share.ports < 1)) {
        struct program_time time = {.cycles = 0};
        estimator_set_share(e, &alone);
        o->done = estimator_time(e, o->machine, NULL, &time, err);
        o->alone = fmin(o->alone, time.seconds);
        program_time_done(&time);
    }
    if (o->done)
        spread_of(p->model, p->inputs, &o->time, fact_number(o->machine, "branch_miss"),
                  &o->spread);
    o->clock = memory.clock_hz / 1e9;
    o->levels = memory.count;
    return o->done;
}

static bool compiling_cancelled(void *state)
{
    job_progress(0, 0, "compiling");
    return job_cancelled(NULL);
}

/* Compares the blocks that the compiler generates for the inputs with those of the runs. A failed
 * build prevents the comparison, not the prediction. Returns false with err if cancelled. */
static bool compare_blocks(struct predicting *p, struct err *err)
{
    const struct program_runs *runs = p->model->runs;

    child_watch(compiling_cancelled, NULL);
    program_has_shape(runs->program, &runs->how, runs->names, p->inputs, runs->name_count,
                      &p->same_blocks, &p->unbuilt);
    child_watch(NULL, NULL);
    if (p->unbuilt.code == ERR_INTERRUPTED)
        *err = p->unbuilt;
    return p->unbuilt.code != ERR_INTERRUPTED;
}

/* Predicts the program's time on each machine. Omits machines without a prediction, for example
 * because they lack a fact. Returns false with err if the counts cannot be estimated, when
 * cancelled, and if the only machine has no prediction. */
static bool predict_run(void *state, struct result *result, struct err *err)
{
    struct predicting *p = state;
    struct estimator *e = estimator_new(p->model, p->inputs, p->kind, err);
    bool ok = e && compare_blocks(p, err);

    if (ok)
        estimator_set_threads(e, (double)p->given->threads, p->given->common / 100);
    for (size_t i = 0; ok && i < p->outcomes.count; i++) {
        job_progress((double)i, (double)p->outcomes.count, "%s", p->outcomes.items[i].machine->id);
        ok = !job_cancelled(NULL) ||
             err_set(err, ERR_INTERRUPTED, NULL, "the prediction was cancelled");
        if (ok && !predict_one(p, e, &p->outcomes.items[i], err)) {
            p->outcomes.items[i].why = *err;
            ok = p->outcomes.count > 1 && !job_cancelled(NULL);
            if (ok)
                err_clear(err);
        }
    }
    estimator_free(e);
    return ok;
}

/* Reports that the time of @o, for a machine other than this CPU, excludes page faults. Reports
 * nothing if the program has none. */
static void say_excluded(struct result *result, const struct machine_prediction *o)
{
    if (isnan(o->faults))
        result_line(result, "the times of machines other than this CPU exclude page faults");
    else if (o->faults > 0)
        result_line(result,
                    "the times of machines other than this CPU exclude the program's %.0f page "
                    "faults",
                    o->faults);
}

static void say_here(struct result *result, const struct machine_prediction *o)
{
    program_say_memory(result, o->day);
    result_line(result,
                "with the current load, %.0f %% of the core's issue slots and %.0f %% of its ports "
                "are available",
                100 * o->share.slots, 100 * o->share.ports);
    if (isnan(o->faults))
        result_line(result, "additional system time for the start of the program and its pages: "
                            "%.4g s",
                    o->cost.system);
    else
        result_line(
            result,
            "additional system time for the start of the program and its %.0f page faults: %.4g s",
            o->faults, o->cost.system);
    program_say_faults(result, o->cost.user, fact_number(o->machine, "page_fault_user"));
    result_number(result, "page_faults", o->faults);
    result_number(result, "slots_left", o->share.slots);
    result_number(result, "ports_left", o->share.ports);
    result_number(result, "system_seconds", o->cost.system);
}

/* Reports the share of the time that depends on unknown or estimated forms of @o. */
static void report_uncertainty(struct result *result, const struct machine_prediction *o)
{
    const struct program_time *t = &o->time;

    if (t->least > SHOWN_LEAST)
        result_line(result,
                    "%s: lower bound, because %.0f %% of the cycles are in parts with "
                    "unknown forms",
                    o->machine->id, 100 * t->least);
    if (t->estimate > SHOWN_LEAST)
        result_line(result,
                    "%s: estimate, because %.0f %% of the cycles are in parts with estimated forms",
                    o->machine->id, 100 * t->estimate);
}

/* Returns whether the runs determine the time: all loops were counted, and uncertain counts change
 * the time by at most a factor of two. */
static bool is_known(const struct time_spread *s)
{
    return s->uncounted == UINT32_MAX && !isinf(s->counts_most) &&
           s->counts_most / s->counts_least <= SPREAD_KNOWN;
}

static void add_machines(struct result *result, const struct predicting *p)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "clock", .unit = "GHz", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "references", .title = "loads and stores", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "l1_misses", .title = "L1 misses", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "l2_misses", .title = "L2 misses", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "l3_misses", .title = "L3 misses", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "seconds_least", .title = "least", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "seconds_most", .title = "most", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "unknown_share", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "estimate_share", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT}};
    struct result_table *t = RESULT_TABLE(result, "machines", columns);

    for (size_t i = 0; i < p->outcomes.count; i++) {
        const struct machine_prediction *o = &p->outcomes.items[i];
        if (!o->done)
            continue;
        cell_text(t, o->machine->id);
        cell_number(t, o->clock);
        const bool known = is_known(&o->spread);
        /* The cycles are the sum over all threads. The seconds are elapsed time of the threads,
         * which run concurrently. */
        const double faults = o->time.faults, parts = o->time.seconds - faults,
                     alone = o->alone - faults;
        cell_number(t, known ? o->time.seconds : NAN);
        cell_number(t, known ? o->time.cycles + o->cost.user * o->clock * 1e9 : NAN);
        cell_number(t, o->time.references);
        for (size_t l = 0; l < MEMORY_LEVELS; l++)
            cell_number(t, l < o->levels && p->model->traced ? o->time.misses[l] : NAN);
        cell_number(t, alone * o->spread.least + faults / FAULTS_OFF);
        cell_number(t, isinf(o->spread.most) ? NAN
                                             : parts * o->spread.most + faults * FAULTS_OFF);
        cell_number(t, o->time.least);
        cell_number(t, o->time.estimate);
    }
    for (size_t i = 0; i < p->outcomes.count; i++)
        if (p->outcomes.items[i].done)
            report_uncertainty(result, &p->outcomes.items[i]);
    for (size_t i = 0; i < p->outcomes.count; i++)
        if (p->outcomes.items[i].done && *p->outcomes.items[i].day) {
            say_here(result, &p->outcomes.items[i]);
            break;
        }
    for (size_t i = 0; i < p->outcomes.count; i++)
        if (p->outcomes.items[i].done && !p->outcomes.items[i].here) {
            say_excluded(result, &p->outcomes.items[i]);
            break;
        }
    for (size_t i = 0; i < p->outcomes.count; i++)
        if (!p->outcomes.items[i].done)
            result_line(result, "%s omitted: %s", p->outcomes.items[i].machine->id,
                        p->outcomes.items[i].why.what);
}

/* Reports why the time is uncertain: uncounted loops, inexact counts with the range of the time and
 * the run that would narrow it, and excluded mispredictions. */
static void say_spread(struct result *result, const struct predicting *p,
                       const struct machine_prediction *o)
{
    const struct time_spread *s = &o->spread;
    const struct program *program = p->model->runs->program;
    struct str run = {0};

    if (s->input >= 0)
        str_addf(&run, "; program run %s=%.12g would reduce the range most",
                 p->model->runs->names[s->input], s->value);
    if (s->uncounted != UINT32_MAX)
        result_line(result,
                    "unknown: %s:%u, line %u, has a loop only in its machine code, as in inline "
                    "assembly; its iterations are not counted",
                    program->functions[program->blocks[s->uncounted].function].name,
                    s->uncounted -
                        program->functions[program->blocks[s->uncounted].function].first_block,
                    program->blocks[s->uncounted].line);
    const bool known = is_known(s);
    if (!known && s->uncounted == UINT32_MAX)
        result_line(
            result,
            "these runs do not determine the time: for %.0f %% of the time the counts are not "
            "exact, mainly the counts of %s:%u%s",
            100 * s->inexact,
            s->block == UINT32_MAX ? "?"
                                   : program->functions[program->blocks[s->block].function].name,
            s->block == UINT32_MAX
                ? 0
                : s->block - program->functions[program->blocks[s->block].function].first_block,
            str_text(&run));
    else if (s->inexact > SHOWN_LEAST)
        result_line(result,
                    "range of the time due to inexact counts: factor %.2f to %.2f; counts are "
                    "inexact in %.0f %% of the time%s",
                    s->counts_least, s->counts_most, 100 * s->inexact,
                    s->counts_most / s->counts_least > 1.1 ? str_text(&run) : "");
    if (s->branches > SHOWN_LEAST)
        result_line(result,
                    "the time excludes mispredictions of data-dependent branches (up to %.0f %% of "
                    "the time); the range from least to most includes them",
                    100 * s->branches);
    result_switch(result, "known", known);
    result_number(result, "counts_least", s->counts_least);
    result_number(result, "counts_most", isinf(s->counts_most) ? NAN : s->counts_most);
    result_number(result, "branches_most", s->branches);
    result_number(result, "inexact", s->inexact);
    result_text(result, "narrowing_run", run.length ? str_text(&run) + strlen("; ") : "");
    str_done(&run);
}

static void add_parts(struct result *result, const struct predicting *p,
                      const struct machine_prediction *o)
{
    static const struct result_column columns[] = {
        {.key = "part", .kind = CELL_TEXT},
        {.key = "line", .kind = CELL_COUNT},
        {.key = "executions", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "core", .title = "cycles per execution", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "stream", .title = "streamed", .unit = "cycles", .kind = CELL_NUMBER,
         .decimals = 0},
        {.key = "latency", .title = "waited", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "mispredicted", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "calls", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "limit", .title = "bound by", .kind = CELL_TEXT}};
    const struct program *program = p->model->runs->program;

    result_line(result, "\n%s", o->machine->title);
    struct result_table *t = RESULT_TABLE(result, "parts", columns);
    for (size_t i = 0; i < o->time.parts.count && i < p->given->top; i++) {
        const struct part_time *part = &o->time.parts.items[i];
        const struct program_function *f =
            &program->functions[program->blocks[part->block].function];
        struct str name = {0};
        str_addf(&name, "%s:%u%s", f->name, part->block - f->first_block,
                 part->repeats ? " loop" : "");
        cell_text(t, str_text(&name));
        str_done(&name);
        cell_count_if(t, part->line, part->line);
        cell_number(t, part->executions);
        cell_count(t, (int64_t)part->insns);
        cell_number(t, part->core);
        cell_number(t, part->stream);
        cell_number(t, part->latency);
        cell_number(t, part->ends + part->branches);
        cell_number(t, part->calls);
        cell_number(t, 100 * part->cycles / o->time.cycles);
        cell_heat(t, part->cycles / o->time.cycles);
        cell_text(t, part_limit_name(part));
    }
    if (o->time.unknown_call)
        result_line(result,
                    "not included: %zu call%s of library functions of unknown cost, such as %s",
                    o->time.unknown_calls, plural(o->time.unknown_calls), o->time.unknown_call);
}

static bool predict_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct predicting *p = state;
    struct str at = {0};
    char why[2048];

    program_inputs_print(p->model->runs->names, p->inputs, p->model->runs->name_count, &at);
    result_line(result, "%s at %s%s%s", p->model->runs->program->name, str_text(&at),
                p->kind == ESTIMATE_AMMP ? ", model ammp of the PPT-AMMP paper" : "",
                p->model->traced ? "" : "; without misses, because the runs were not traced");
    program_say_threads(result, p->given->threads, p->given->common);
    add_machines(result, p);
    if (p->unbuilt.code != ERR_NONE)
        result_line(result,
                    "assumed: the blocks of the runs; not compared with the blocks for %s, because "
                    "the build failed: %s",
                    str_text(&at), err_text(&p->unbuilt, why, sizeof why));
    else if (!p->same_blocks)
        result_line(result,
                    "assumed: the blocks of the runs, although the compiler generates other blocks "
                    "for %s; run the program with sizes of the same remainder modulo 32",
                    str_text(&at));
    if (p->unbuilt.code != ERR_NONE)
        result_missing(result, "same_blocks");
    else
        result_switch(result, "same_blocks", p->same_blocks);
    if (p->outcomes.items[0].done)
        say_spread(result, p, &p->outcomes.items[0]);
    if (p->outcomes.items[0].done)
        add_parts(result, p, &p->outcomes.items[0]);
    str_done(&at);
    return true;
}

static void predicting_free(void *state)
{
    struct predicting *p = state;
    for (size_t i = 0; i < p->outcomes.count; i++) {
        machine_free(p->outcomes.items[i].machine);
        program_time_done(&p->outcomes.items[i].time);
    }
    vec_done(&p->outcomes);
    vec_done(&p->facts);
    program_model_free(p->model);
    free(p);
}

/* Parses each word, such as "l2_bytes=512k". Returns false with err if a word is invalid. */
static bool read_facts(struct predicting *p, const struct word_list *words, struct err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const size_t length = strcspn(word, "=");
        char *key = mem_strndup(word, length);
        struct given_fact g = {.fact = fact_find(key)};
        free(key);
        if (!g.fact || !word[length] ||
            (g.fact->type != FACT_NUMBER && g.fact->type != FACT_WHOLE))
            return err_set(err, ERR_USAGE,
                           "use KEY=VALUE with a numeric fact, as in l2_bytes=512k; help facts "
                           "lists the facts",
                           "invalid fact \"%s\"", word);
        if (!program_fact_read(g.fact, word + length + 1, strlen(word + length + 1), &g.value,
                               err))
            return false;
        vec_push(&p->facts, g);
    }
    return true;
}

static bool prepare_predict(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"predicts", predict_run, predict_finish, predicting_free,
                                        .listed = TASK_LISTED};
    const struct predict_values *v = values;
    const struct program_model *m = program_fitted(s, err);

    if (!m)
        return false;
    struct predicting *p = mem_zero(1, sizeof *p);
    p->given = v;
    p->model = program_model_hold(m);
    p->kind = v->model[0] == 'a' ? ESTIMATE_AMMP : ESTIMATE_STEADY;
    bool ok =
        program_inputs_given(m, &v->inputs, p->inputs, err) && read_facts(p, &v->facts, err);
    for (size_t i = 0; ok && i < (v->machines.count ? v->machines.count : 1); i++) {
        struct machine_prediction o = {.done = false};
        const struct machine *machine =
            program_machine(s, v->machines.count ? v->machines.items[i] : NULL, &o.here, err);
        ok = machine != NULL;
        task->measures |= o.here;
        o.machine = ok ? machine_copy(machine) : NULL;
        vec_push(&p->outcomes, o);
    }
    return task_give(task, &ops, p) && ok;
}

const struct command command_program_predict = {
    .name = "program predict",
    .help = "predict the program's time for any inputs and on any machine",
    .description =
        "Each loop's machine code is analysed in steady state. Straight-line code takes its "
        "largest bound. Execution counts come from the formulas of the runs. Misses come from "
        "reuse distances with the stack distance model. Lines with a constant stride cost "
        "bandwidth, other lines cost the latency that the reorder buffer does not hide. Calls to "
        "the math library cost their time on this CPU. Other calls cost their time in the runs. "
        "They are listed, but not included, if the runs did not measure them (--mode counts). For "
        "this CPU (native), clock, caches and memory are measured; memory.csv in the state "
        "directory stores the memory results with their date. With --threads, seconds are the "
        "elapsed time of the concurrent threads; cycles and misses are totals of all threads.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(predict_values)),
    .options = PARAMETERS(
        MACHINES_OPTION(predict_values, "the current machine",
                        "machine to predict for; parts are listed for the first machine"),
        {PARAMETER(CHOICE, "--model", struct predict_values, model), .choices = "steady|ammp",
         .initial = "steady",
         .help = "bounds of loops in steady state, or the pipeline model of the PPT-AMMP paper for "
                 "every block"},
        {PARAMETER(NUMBER, "--clock", struct predict_values, clock), .value = "GHZ", .unit = "GHz",
         .least = 0.001, .most = 100,
         .fallback = "measured for this CPU, otherwise the machine's fact clock",
         .help = "core clock"},
        {PARAMETER(WORDS, "--fact", struct predict_values, facts), .value = "KEY=VALUE",
         .fallback = "the machine's facts",
         .help = "replace a fact of the machine; suffixes: k (1,024) and M (1,024 k)"},
        PROGRAM_FRESH_OPTION(predict_values), PROGRAM_THREADS_OPTIONS(predict_values),
        {PARAMETER(COUNT, "--top", struct predict_values, top), .value = "N", .least = 1,
         .most = 1e9, .initial = "12", .help = "number of parts to show, the slowest first"}),
    .examples = EXAMPLES("program predict N=4096",
                         "program predict N=4096 --machine skylake --machine znver4"),
    .values_size = sizeof(struct predict_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_predict,
};
