/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a program's time hangs on each property of a machine, and its time over values of one. */
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
#include "program/estimate.h"
#include "work/job.h"

#define STEP 0.01   /* of a property, up and down */

struct sensitivity_values {
    struct word_list inputs;
    const char *machine, *model;
};

struct sweep_values {
    const char *property;
    struct word_list inputs;
    const char *machine, *model;
};

/* One property changed one way or two. */
struct effect {
    char *name;
    double value;                      /* as the machine has it */
    double elasticity;                 /* change of ln T by that of ln p */
    double halved, doubled;            /* seconds; NaN where the property cannot take that */
};

struct probing {
    struct session *session;
    const struct program_model *model;
    double inputs[INPUTS_MAX];
    struct machine *machine;
    bool here;
    enum estimate_model kind;
    double seconds;
    VEC(struct effect) effects;
    /* A sweep: */
    char *property;
    VEC(double) values;
    VEC(double) times;
};

/* Seconds when fact @key is @value; NaN when it cannot be that. */
static double time_with(struct estimator *e, const struct machine *m, const char *key, double value)
{
    struct machine *changed = machine_copy(m);
    struct program_time time = {.cycles = 0};
    struct err err = {0};
    char text[40];

    snprintf(text, sizeof text, "%.12g", value);
    bool ok = machine_change(changed, key, text, &err) && estimator_time(e, changed, NULL, &time, &err);
    double seconds = ok ? time.seconds : NAN;
    program_time_done(&time);
    machine_free(changed);
    return seconds;
}

static double time_with_pipes(struct estimator *e, const struct machine *m, enum op_class class, int more, double latency, double interval)
{
    struct pipe_change change = {class, more, latency, interval};
    struct program_time time = {.cycles = 0};
    struct err err = {0};
    double seconds = estimator_time(e, m, &change, &time, &err) ? time.seconds : NAN;
    program_time_done(&time);
    return seconds;
}

static void probe_fact(struct probing *p, struct estimator *e, const char *key)
{
    const struct fact *f = fact_find(key);
    double value = fact_number(p->machine, key);

    if (!(value > 0) || isinf(value))
        return;
    /* Whole ones move by one. */
    double step = f->type == FACT_WHOLE ? fmax(1, rint(STEP * value)) : STEP * value, above = value + step, below = value - step;
    struct effect effect = {.name = mem_strdup(key), .value = value};
    double up = time_with(e, p->machine, key, above), down = time_with(e, p->machine, key, below);
    effect.elasticity = !isnan(up) && !isnan(down) ? log(up / down) / log(above / below) : !isnan(up) ? log(up / p->seconds) / log(above / value) : NAN;
    effect.halved = time_with(e, p->machine, key, f->type == FACT_WHOLE ? floor(value / 2) : value / 2);
    effect.doubled = time_with(e, p->machine, key, 2 * value);
    vec_push(&p->effects, effect);
}

/* Latency and throughput by the hundredth, a pipe more or less. */
static void probe_pipes(struct probing *p, struct estimator *e, const struct pipe_kind *kinds, enum op_class class)
{
    static const char *const parts[] = {"latency", "interval", "count"};

    for (int part = class == OP_LOAD; part < 3; part++) {   /* a load's latency is its block's, from the facts */
        struct effect effect = {.value = part == 0 ? kinds[class].latency : part == 1 ? kinds[class].interval : kinds[class].count};
        struct str name = {0};
        double n = kinds[class].count, up, down;
        str_addf(&name, "%s.%s", op_class_name(class), parts[part]);
        effect.name = str_take(&name);
        up = time_with_pipes(e, p->machine, class, part == 2, part == 0 ? 1 + STEP : 0, part == 1 ? 1 + STEP : 0);
        down = part == 2 ? p->seconds : time_with_pipes(e, p->machine, class, 0, part == 0 ? 1 - STEP : 0, part == 1 ? 1 - STEP : 0);
        effect.elasticity = log(up / down) / (part == 2 ? log((n + 1) / n) : log((1 + STEP) / (1 - STEP)));
        effect.halved = part == 2 ? NAN : time_with_pipes(e, p->machine, class, 0, part == 0 ? 0.5 : 0, part == 1 ? 0.5 : 0);
        effect.doubled = time_with_pipes(e, p->machine, class, part == 2 ? (int)n : 0, part == 0 ? 2 : 0, part == 1 ? 2 : 0);
        vec_push(&p->effects, effect);
    }
}

static bool prepare(struct probing *p, struct estimator **e, struct err *err)
{
    struct program_time time = {.cycles = 0};
    char text[40];

    *e = estimator_new(p->model, p->inputs, p->kind, err);
    if (!*e)
        return false;
    if (p->here) {
        snprintf(text, sizeof text, "%.12g", estimator_clock_here(*e));
        machine_set_fact(p->machine, "clock", text, "GHz", "measured");
    }
    bool ok = estimator_time(*e, p->machine, NULL, &time, err);
    p->seconds = time.seconds;
    program_time_done(&time);
    return ok;
}

static bool sensitivity_run(struct job *job, void *state, struct err *err)
{
    static const char *const keys[] = {"clock", "issue_width", "retire_width", "reorder_buffer", "scheduler", "load_latency", "branch_miss", "miss_parallel", "l1_bytes", "l1_ways", "l2_bytes",
                                       "l2_ways", "l2_latency", "l2_line_cycles", "l3_bytes", "l3_ways", "l3_latency", "l3_line_cycles", "memory_latency", "memory_bandwidth"};
    struct probing *p = state;
    struct pipe_kind kinds[OP_CLASSES];
    struct estimator *e;
    bool ok = prepare(p, &e, err);

    for (size_t i = 0; ok && i < sizeof keys / sizeof *keys; i++) {
        job_progress(job, (double)i, sizeof keys / sizeof *keys, "%s", keys[i]);
        probe_fact(p, e, keys[i]);
        ok = !job_cancelled(job) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    }
    if (ok && p->kind == ESTIMATE_AMMP && ammp_pipes(p->machine, kinds, err))
        for (unsigned class = 0; class < OP_CALL; class++)
            probe_pipes(p, e, kinds, (enum op_class)class);
    estimator_free(e);
    return ok;
}

static int by_elasticity(const void *a, const void *b)
{
    double x = fabs(((const struct effect *)a)->elasticity), y = fabs(((const struct effect *)b)->elasticity);
    return (x < y) - (x > y);
}

static void say(struct result *result, const struct probing *p)
{
    struct str at = {0};
    program_inputs_print(p->model->runs->names, p->inputs, p->model->runs->name_count, &at);
    result_line(result, "%s at %s on %s, model %s: %.6g s", p->model->runs->program->name, str_text(&at), p->machine->id, p->kind == ESTIMATE_AMMP ? "ammp" : "steady", p->seconds);
    result_text(result, "machine", p->machine->id);
    result_number(result, "seconds", p->seconds);
    str_done(&at);
}

static bool changes_nothing(const struct probing *p, const struct effect *effect)
{
    double far = fmax(isnan(effect->halved) ? 0 : fabs(effect->halved / p->seconds - 1), isnan(effect->doubled) ? 0 : fabs(effect->doubled / p->seconds - 1));
    return fabs(effect->elasticity) < 5e-4 && far < 5e-4;
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
    if (p->effects.count)
        qsort(p->effects.items, p->effects.count, sizeof *p->effects.items, by_elasticity);
    say(result, p);
    struct result_table *t = result_table(result, "properties", columns, sizeof columns / sizeof *columns);
    size_t idle = 0;
    for (size_t i = 0; i < p->effects.count; i++) {
        const struct effect *effect = &p->effects.items[i];
        struct str bar = {0};
        if (changes_nothing(p, effect)) {
            idle++;
            continue;
        }
        for (int k = 0; k < 30 && k < (int)rint(fabs(effect->elasticity) * 30); k++)
            str_add(&bar, effect->elasticity < 0 ? "-" : "+");
        cell_text(t, effect->name);
        cell_number(t, effect->value);
        cell_number(t, effect->elasticity);
        cell_number(t, 100 * effect->halved / p->seconds);
        cell_number(t, 100 * effect->doubled / p->seconds);
        cell_text(t, str_text(&bar));
        str_done(&bar);
    }
    if (idle)
        result_line(result, "%zu more properties change nothing, doubled or halved", idle);
}

static void probing_free(void *state)
{
    struct probing *p = state;
    for (size_t i = 0; i < p->effects.count; i++)
        free(p->effects.items[i].name);
    vec_done(&p->effects);
    vec_done(&p->values);
    vec_done(&p->times);
    free(p->property);
    machine_free(p->machine);
    program_model_free(p->model);
    free(p);
}

/* What both commands begin with; NULL with err. */
static struct probing *probing_new(struct session *s, const struct word_list *inputs, const char *machine, const char *model, struct err *err)
{
    const struct program_model *m = program_fitted(s, err);
    struct probing *p;

    if (!m)
        return NULL;
    p = mem_zero(1, sizeof *p);
    p->session = s;
    p->model = program_model_hold(m);
    p->kind = model[0] == 'a' ? ESTIMATE_AMMP : ESTIMATE_STEADY;
    const struct machine *one = program_machine(s, machine, &p->here, err);
    p->machine = one ? machine_copy(one) : NULL;
    if (one && program_inputs_given(m, inputs, p->inputs, err))
        return p;
    probing_free(p);
    return NULL;
}

static bool run_sensitivity(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct job_ops ops = {sensitivity_run, sensitivity_finish, probing_free};
    const struct sensitivity_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, err);

    (void)result;   /* the job's finish function fills it */
    return p && session_job(s, "program sensitivity", "predicts", &ops, p, err);
}

#define COMMON_OPTIONS(type) \
    {.name = "--machine", .kind = PARAMETER_TEXT, .at = offsetof(struct type, machine), .value = "ID", .otherwise = "the current machine", \
     .complete = COMPLETE_MACHINE, .help = "machine whose properties are changed, one at a time, in a copy"}, \
    {.name = "--model", .kind = PARAMETER_CHOICE, .at = offsetof(struct type, model), .choices = "steady|ammp", .initial = "steady", \
     .help = "loops in steady state, or the paper's pipelines"}, \
    {0}
#define INPUTS_ARGUMENT(type) \
    {.name = "INPUT=VALUE", .kind = PARAMETER_WORDS, .at = offsetof(struct type, inputs), .otherwise = "the last run's", \
     .help = "value of each input; inputs that were not run are extrapolated"}

static const struct parameter sensitivity_arguments[] = {INPUTS_ARGUMENT(sensitivity_values), {0}};
static const struct parameter sensitivity_options[] = {COMMON_OPTIONS(sensitivity_values)};
static const char *const sensitivity_examples[] = {"program sensitivity N=2000", "program sensitivity N=2000 --machine skylake --model ammp", NULL};

const struct command command_program_sensitivity = {
    .name = "program sensitivity",
    .help = "show how much the program's time hangs on each property of a machine",
    .description = "The elasticity is the change of the time's logarithm by the change of the property's, from 1 % more and 1 % less (whole numbers: one more and one "
                   "less): 1 means that twice the property takes twice the time, -1 half of it. Each change is made to a copy of the machine.",
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
        vec_push(&p->times, time_with(e, p->machine, p->property, p->values.items[i]));
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
    static const struct job_ops ops = {sweep_run, sweep_finish, probing_free};
    const struct sweep_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, err);

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
