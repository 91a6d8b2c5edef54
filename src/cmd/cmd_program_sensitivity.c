/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a program's time depends on each property of a machine, and its time over values of one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "model/change.h"
#include "model/facts.h"
#include "program/effects.h"
#include "program/native_kept.h"
#include "work/job.h"

struct sensitivity_values {
    struct word_list inputs;
    const char *machine, *model;
    bool fresh;
};

struct sweep_values {
    const char *property;
    struct word_list inputs;
    const char *machine, *model;
    bool fresh;
};

struct probing {
    struct session *session;
    struct job *job;
    struct program_case at;
    bool fresh;
    char day[NATIVE_DAY];              /* that this CPU's memory was measured; "": another machine */
    enum estimate_model kind;
    double seconds;
    struct effects effects;
    size_t idle;                       /* properties that change nothing */
    /* A sweep: */
    char *property;
    VEC(double) values;
    VEC(double) times;
};

static bool prepare(struct probing *p, struct estimator **e, struct err *err)
{
    struct program_time time = {.cycles = 0};

    *e = estimator_new(p->at.model, p->at.inputs, p->kind, err);
    if (!*e)
        return false;
    if (p->at.here) {
        if (!native_known(p->at.machine, p->fresh, p->day, err))
            return false;
        estimator_meet_here(*e, p->at.machine);
    }
    bool ok = estimator_time(*e, p->at.machine, NULL, &time, err);
    p->seconds = time.seconds;
    program_time_done(&time);
    return ok;
}

static bool effects_go_on(void *state, double done, double total, const char *what)
{
    const struct probing *p = state;
    job_progress(p->job, done, total, "%s", what);
    return !job_cancelled(p->job);
}

static bool sensitivity_run(struct job *job, void *state, struct err *err)
{
    struct probing *p = state;
    struct estimator *e;

    p->job = job;
    bool ok = prepare(p, &e, err) && (effects_find(e, p->at.machine, p->kind, p->seconds, effects_go_on, p, &p->effects, &p->idle) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled"));
    estimator_free(e);
    return ok;
}

static void say(struct result *result, const struct probing *p)
{
    struct str at = {0};
    program_inputs_print(p->at.model->runs->names, p->at.inputs, p->at.model->runs->name_count, &at);
    result_line(result, "%s at %s on %s, model %s: %.6g s", p->at.model->runs->program->name, str_text(&at), p->at.machine->id, p->kind == ESTIMATE_AMMP ? "ammp" : "steady", p->seconds);
    program_say_memory(result, p->day);
    result_text(result, "machine", p->at.machine->id);
    result_number(result, "seconds", p->seconds);
    str_done(&at);
}

static void sensitivity_finish(void *state, const struct job_info *info)
{
    static const struct result_column columns[] = {
        {.key = "property", .kind = CELL_TEXT}, {.key = "value", .kind = CELL_NUMBER, .decimals = SHORTEST}, {.key = "elasticity", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "halved", .title = "time when halved", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "doubled", .title = "time when doubled", .unit = "%", .kind = CELL_NUMBER, .decimals = 1}, {.key = "bar", .title = " ", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON}};
    struct probing *p = state;
    struct result *result = p->session->result;

    if (info->state != JOB_DONE)
        return;
    say(result, p);
    struct result_table *t = result_table(result, "properties", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->effects.list.count; i++) {
        const struct effect *effect = &p->effects.list.items[i];
        struct str bar = {0};
        for (int k = 0; k < 30 && k < (int)rint(fabs(effect->elasticity) * 30); k++)
            str_add(&bar, effect->elasticity < 0 ? "-" : "+");
        cell_text(t, effect->name);
        cell_number(t, effect->value);
        cell_number(t, effect->elasticity);
        cell_number(t, 100 * effect->halved);
        cell_number(t, 100 * effect->doubled);
        cell_text(t, str_text(&bar));
        str_done(&bar);
    }
    if (p->idle)
        result_line(result, "%zu more properties have no effect when doubled or halved", p->idle);
}

static void probing_free(void *state)
{
    struct probing *p = state;
    effects_done(&p->effects);
    vec_done(&p->values);
    vec_done(&p->times);
    free(p->property);
    program_case_done(&p->at);
    free(p);
}

/* What both commands begin with; NULL with err. */
static struct probing *probing_new(struct session *s, const struct word_list *inputs, const char *machine, const char *model, bool fresh, struct err *err)
{
    struct probing *p = mem_zero(1, sizeof *p);

    p->session = s;
    p->fresh = fresh;
    p->kind = model[0] == 'a' ? ESTIMATE_AMMP : ESTIMATE_STEADY;
    if (program_case_read(s, inputs, machine, &p->at, err))
        return p;
    probing_free(p);
    return NULL;
}

/* Of this CPU, clock, core and where they are not known yet its caches are measured: a chart would be disturbed. */
static bool measures_here(const void *state)
{
    return ((const struct probing *)state)->at.here;
}

static bool run_sensitivity(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct job_ops ops = {.run = sensitivity_run, .finish = sensitivity_finish, .free = probing_free, .measures = measures_here};
    const struct sensitivity_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, v->fresh, err);

    (void)result;   /* the job's finish function fills it */
    return p && session_job(s, "program sensitivity", "predicts", &ops, p, err);
}

#define COMMON_OPTIONS(type) \
    {.name = "--machine", .kind = PARAMETER_TEXT, .at = offsetof(struct type, machine), .value = "ID", .otherwise = "the current machine", \
     .complete = COMPLETE_MACHINE, .help = "machine to change, one property at a time, in a copy"}, \
    {.name = "--model", .kind = PARAMETER_CHOICE, .at = offsetof(struct type, model), .choices = "steady|ammp", .initial = "steady", \
     .help = "loops in steady state, or the paper's pipelines"}, \
    PROGRAM_FRESH_OPTION(type), \
    {0}
#define INPUTS_ARGUMENT(type) \
    {.name = "INPUT=VALUE", .kind = PARAMETER_WORDS, .at = offsetof(struct type, inputs), .otherwise = "the last run's", \
     .help = "value of each input; values that were not run are extrapolated"}

static const struct parameter sensitivity_arguments[] = {INPUTS_ARGUMENT(sensitivity_values), {0}};
static const struct parameter sensitivity_options[] = {COMMON_OPTIONS(sensitivity_values)};
static const char *const sensitivity_examples[] = {"program sensitivity N=2000", "program sensitivity N=2000 --machine skylake --model ammp", NULL};

const struct command command_program_sensitivity = {
    .name = "program sensitivity",
    .help = "show how the program's time depends on each property of a machine",
    .description = "The elasticity is the relative change of the time per relative change of the property, from 1 % more and 1 % less (whole numbers: one more and one "
                   "less): 1 means that doubling the property doubles the time, -1 that it halves it. The machine itself is not changed.",
    .arguments = sensitivity_arguments,
    .options = sensitivity_options,
    .examples = sensitivity_examples,
    .values_size = sizeof(struct sensitivity_values),
    .flags = COMMAND_JOB,
    .run = run_sensitivity,
};

static bool sweep_run(struct job *job, void *state, struct err *err)
{
    struct probing *p = state;
    struct estimator *e;
    bool ok = prepare(p, &e, err);

    for (size_t i = 0; ok && i < p->values.count; i++) {
        job_progress(job, (double)i, (double)p->values.count, "%s = %g", p->property, p->values.items[i]);
        vec_push(&p->times, effects_time_with(e, p->at.machine, p->property, p->values.items[i]));
        ok = !job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    }
    estimator_free(e);
    return ok;
}

static void sweep_finish(void *state, const struct job_info *info)
{
    struct probing *p = state;
    struct result *result = p->session->result;
    const struct result_column columns[] = {
        {.key = p->property, .kind = CELL_NUMBER, .decimals = SHORTEST}, {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "share", .title = "of now", .unit = "%", .kind = CELL_NUMBER, .decimals = 1}};

    if (info->state != JOB_DONE)
        return;
    say(result, p);
    struct result_table *t = result_table(result, "times", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->times.count; i++) {
        cell_number(t, p->values.items[i]);
        cell_number(t, p->times.items[i]);
        cell_number(t, 100 * p->times.items[i] / p->seconds);
    }
}

/* "l2_bytes=256k,1M": values that the fact can take. */
static bool read_property(struct probing *p, const char *text, struct err *err)
{
    size_t length = strcspn(text, "=");

    p->property = mem_strndup(text, length);
    const struct fact *f = fact_find(p->property);
    if (!f || !text[length] || (f->type != FACT_NUMBER && f->type != FACT_WHOLE))
        return err_set(err, ERR_USAGE, "write KEY=VALUES with a fact that is a number, as in l2_bytes=512k,1M,2M; help fact lists them", "invalid property \"%s\"", text);
    for (const char *at = text + length; *at; at += 1 + strcspn(at + 1, ",")) {
        char *end, *one = mem_strndup(at + 1, strcspn(at + 1, ","));
        double value = strtod(one, &end);
        value *= *end == 'k' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
        bool ok = end != one && (!*end || (!end[1] && strchr("kM", *end)));
        struct str number = {0};
        str_addf(&number, "%.12g", value);
        ok = ok ? fact_check(f, str_text(&number), NULL, err) : err_set(err, ERR_USAGE, "write numbers; k and M multiply by 1024", "\"%s\" is no number", one);
        str_done(&number);
        free(one);
        if (!ok)
            return false;
        vec_push(&p->values, value);
    }
    return true;
}

static bool run_sweep(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct job_ops ops = {.run = sweep_run, .finish = sweep_finish, .free = probing_free, .measures = measures_here};
    const struct sweep_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, v->fresh, err);

    (void)result;   /* the job's finish function fills it */
    if (!p)
        return false;
    if (read_property(p, v->property, err))
        return session_job(s, "program sweep", "predicts", &ops, p, err);
    probing_free(p);
    return false;
}

static const struct parameter sweep_arguments[] = {
    {.name = "KEY=VALUES", .kind = PARAMETER_TEXT, .at = offsetof(struct sweep_values, property), .required = true,
     .help = "a fact of the machine and the values it takes; k and M multiply by 1024"},
    INPUTS_ARGUMENT(sweep_values), {0}};
static const struct parameter sweep_options[] = {COMMON_OPTIONS(sweep_values)};
static const char *const sweep_examples[] = {"program sweep l2_bytes=256k,512k,1M,2M,4M N=600", "program sweep memory_latency=60,80,100,120 N=600 --machine skylake", NULL};

const struct command command_program_sweep = {
    .name = "program sweep",
    .help = "predict the program's time over values of one property of a machine",
    .arguments = sweep_arguments,
    .options = sweep_options,
    .examples = sweep_examples,
    .values_size = sizeof(struct sweep_values),
    .flags = COMMAND_JOB,
    .run = run_sweep,
};
