/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands program sensitivity and program sweep: time of a program as a function of machine
 * properties. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/rank_worker.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "model/facts.h"
#include "program/effects.h"
#include "program/native_kept.h"
#include "program/runs.h"
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
    struct program_case at;
    bool fresh;
    /* date of this CPU's memory measurement; "" for another machine */
    char day[KEPT_DAY];
    enum estimate_model kind;
    double seconds;
    double faults;                     /* user time of page faults, which @seconds includes */
    struct effects effects;
    size_t idle;                       /* number of properties without effect */
    /* Fields of a sweep */
    char *property;
    VEC(double) values;
    VEC(double) times;
    unsigned ranks;                    /* number of ranks that took part; 0: this process only */
};

static bool prepare(struct probing *p, struct estimator **e, struct err *err)
{
    struct program_time time = {.cycles = 0};
    struct system_cost cost;

    *e = estimator_new(p->at.model, p->at.inputs, p->kind, err);
    if (!*e)
        return false;
    if (p->at.here) {
        if (!native_known(p->at.machine, p->fresh, p->day, err))
            return false;
        estimator_meet_here(*e, p->at.machine);
        if (!estimator_meet_system(*e, p->at.machine, &cost, err))
            return false;
    }
    bool ok = estimator_time(*e, p->at.machine, NULL, &time, err);
    p->seconds = time.seconds;
    p->faults = time.faults;
    program_time_done(&time);
    return ok;
}

static bool effects_go_on(void *state, double done, double total, const char *what)
{
    job_progress(done, total, "%s", what);
    return !job_cancelled(NULL);
}

static bool sensitivity_run(void *state, struct result *result, struct err *err)
{
    struct probing *p = state;
    struct estimator *e;

    bool ok = prepare(p, &e, err) && (effects_find(e, p->at.machine, p->kind, p->seconds,
                                                   effects_go_on, p, &p->effects, &p->idle) ||
                                      err_set(err, ERR_INTERRUPTED, NULL, "cancelled"));
    estimator_free(e);
    return ok;
}

static void say(struct result *result, const struct probing *p)
{
    struct str at = {0};
    program_inputs_print(p->at.model->runs->names, p->at.inputs, p->at.model->runs->name_count,
                         &at);
    result_line(result, "%s at %s on %s, model %s: %.6g s", p->at.model->runs->program->name,
                str_text(&at), p->at.machine->id, p->kind == ESTIMATE_AMMP ? "ammp" : "steady",
                p->seconds);
    program_say_memory(result, p->day);
    program_say_faults(result, p->faults, fact_number(p->at.machine, "page_fault_user"));
    result_text(result, "machine", p->at.machine->id);
    result_number(result, "seconds", p->seconds);
    str_done(&at);
}

static bool sensitivity_finish(struct session *s, void *state, struct result *result,
                               struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "property", .kind = CELL_TEXT},
        {.key = "value", .kind = CELL_NUMBER, .decimals = SHORTEST},
        {.key = "elasticity", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "halved", .title = "time when halved", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "doubled", .title = "time when doubled", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "bar", .title = " ", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON}};
    struct probing *p = state;

    say(result, p);
    struct result_table *t = RESULT_TABLE(result, "properties", columns);
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
        result_line(result, "%zu more propert%s no effect when doubled or halved", p->idle,
                    p->idle == 1 ? "y has" : "ies have");
    return true;
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

static struct probing *probing_new(struct session *s, const struct word_list *inputs,
                                   const char *machine, const char *model, bool fresh,
                                   struct err *err)
{
    struct probing *p = mem_zero(1, sizeof *p);

    p->fresh = fresh;
    p->kind = model[0] == 'a' ? ESTIMATE_AMMP : ESTIMATE_STEADY;
    if (program_case_read(s, inputs, machine, &p->at, err))
        return p;
    probing_free(p);
    return NULL;
}

static bool prepare_sensitivity(struct session *s, const void *values, struct task *task,
                                struct err *err)
{
    static const struct task_ops ops = {"predicts", sensitivity_run, sensitivity_finish,
                                        probing_free, .listed = TASK_LISTED};
    const struct sensitivity_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, v->fresh, err);

    task->measures = p && p->at.here;
    return p && task_give(task, &ops, p);
}

#define COMMON_OPTIONS(type)                                                                       \
    MACHINE_OPTION(type, "the current machine",                                                    \
                   "machine whose properties are changed, one at a time, in a copy"),              \
    {PARAMETER(CHOICE, "--model", struct type, model), .choices = "steady|ammp",                   \
     .initial = "steady",                                                                          \
     .help = "bounds of loops in steady state, or the pipeline model of the PPT-AMMP paper"},      \
    PROGRAM_FRESH_OPTION(type)

const struct command command_program_sensitivity = {
    .name = "program sensitivity",
    .help = "show the effect of each property of a machine on the program's time",
    .description =
        "The elasticity is the relative change of the time per relative change of the property. "
        "With an elasticity of 1, a property larger by 1 % lengthens the time by 1 %. With -1, it "
        "shortens the time by 1 %. The elasticity is computed from values 1 % larger and 1 % "
        "smaller. Integers change by at least 1. Numbers of pipes are only increased, by 1. The "
        "machine itself is not changed.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(sensitivity_values)),
    .options = PARAMETERS(COMMON_OPTIONS(sensitivity_values)),
    .examples = EXAMPLES("program sensitivity N=2000",
                         "program sensitivity N=2000 --machine skylake --model ammp"),
    .values_size = sizeof(struct sensitivity_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_sensitivity,
};

static void take_time(void *state, struct unpacking *from)
{
    struct probing *p = state;
    size_t i = unpack_count(from);
    double seconds = unpack_number(from);

    if (!from->broken && i < p->times.count)
        p->times.items[i] = seconds;
}

/* Starts other ranks and sends them the program, its counts at the inputs, and the machine. Leaves
 * *@farm unchanged if there are no other ranks or only one value. Returns false with err. */
static bool hire(struct probing *p, const struct estimator *e, struct farm **farm, struct err *err)
{
    const struct farm_taking taking = {.answer = take_time, .cancelled = job_cancelled, .state = p};
    const struct program_runs *runs = p->at.model->runs;
    const struct core_share share = estimator_share(e);
    struct str setup = {0}, about = {0};

    if (ranks_count() == 1 || p->values.count == 1)
        return true;
    bool ok = program_descriptions(runs->program, &about, err);
    if (ok) {
        pack_count(&setup, p->kind);
        pack_text(&setup, p->property);
        pack_array(&setup, &share, 1, sizeof share);
        pack_number(&setup, estimator_fault(e));
        pack_count(&setup, about.length);
        pack_array(&setup, about.data, about.length, 1);
        pack_count(&setup, runs->name_count);
        run_pack(runs->program, estimator_run(e), &setup);
        machine_pack(p->at.machine, &setup);
        *farm = farm_new(RANK_SWEEP, 1, &setup, &taking);
        p->ranks = *farm ? ranks_count() : 0;
    }
    str_done(&setup);
    str_done(&about);
    return ok;
}

static void pass_on(struct farm *farm, size_t i, double value)
{
    struct str piece = {0};

    pack_count(&piece, i);
    pack_number(&piece, value);
    farm_give(farm, &piece);
    str_done(&piece);
}

static bool sweep_run(void *state, struct result *result, struct err *err)
{
    struct probing *p = state;
    struct farm *farm = NULL;
    struct estimator *e;

    bool ok = prepare(p, &e, err);
    for (size_t i = 0; i < p->values.count; i++)
        vec_push(&p->times, NAN);
    ok = ok && hire(p, e, &farm, err);
    for (size_t i = 0; ok && i < p->values.count; i++) {
        job_progress((double)i, (double)p->values.count, "%s = %g", p->property,
                     p->values.items[i]);
        if (farm && farm_room(farm, 0))
            pass_on(farm, i, p->values.items[i]);
        else
            p->times.items[i] =
                effects_time_with(e, p->at.machine, p->property, p->values.items[i]);
        ok = watch_goes_on(err);
    }
    if (farm)
        ok = farm_end(farm, err) && ok;
    estimator_free(e);
    return ok;
}

static bool sweep_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct probing *p = state;
    const struct result_column columns[] = {
        {.key = p->property, .kind = CELL_NUMBER, .decimals = SHORTEST},
        {.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "share", .title = "share of current time", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1}};

    say(result, p);
    if (p->ranks) {
        result_line(result, "predicted by %u ranks", p->ranks);
        result_count(result, "ranks", p->ranks);
    }
    struct result_table *t = RESULT_TABLE(result, "times", columns);
    for (size_t i = 0; i < p->times.count; i++) {
        cell_number(t, p->values.items[i]);
        cell_number(t, p->times.items[i]);
        cell_number(t, 100 * p->times.items[i] / p->seconds);
    }
    return true;
}

/* Parses values of a fact: "l2_bytes=256k,1M". Returns false with err if invalid. */
static bool read_property(struct probing *p, const char *text, struct err *err)
{
    size_t length = strcspn(text, "=");

    p->property = mem_strndup(text, length);
    const struct fact *f = fact_find(p->property);
    if (!f || !text[length] || (f->type != FACT_NUMBER && f->type != FACT_WHOLE))
        return err_set(err, ERR_USAGE,
                       "use KEY=VALUES with a numeric fact, as in l2_bytes=512k,1M,2M; help facts "
                       "lists the facts",
                       "invalid property \"%s\"", text);
    for (const char *at = text + length; *at; at += 1 + strcspn(at + 1, ",")) {
        double value;
        if (!program_fact_read(f, at + 1, strcspn(at + 1, ","), &value, err))
            return false;
        vec_push(&p->values, value);
    }
    return true;
}

static bool prepare_sweep(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"predicts", sweep_run, sweep_finish, probing_free,
                                        .listed = TASK_LISTED};
    const struct sweep_values *v = values;
    struct probing *p = probing_new(s, &v->inputs, v->machine, v->model, v->fresh, err);

    if (!p)
        return false;
    task->measures = p->at.here;
    return task_give(task, &ops, p) && read_property(p, v->property, err);
}

const struct command command_program_sweep = {
    .name = "program sweep",
    .help = "predict the program's time over values of one property of a machine",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "KEY=VALUES", struct sweep_values, property), .required = true,
         .help = "fact of the machine and its values; suffixes: k (1,024) and M (1,024 k)"},
        PROGRAM_INPUTS_ARGUMENT(sweep_values)),
    .options = PARAMETERS(COMMON_OPTIONS(sweep_values)),
    .examples = EXAMPLES("program sweep l2_bytes=256k,512k,1M,2M,4M N=600",
                         "program sweep memory_latency=60,80,100,120 N=600 --machine skylake"),
    .values_size = sizeof(struct sweep_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_sweep,
};

/* State of a rank other than rank 0: the program at the same inputs, with only the predicted run */
struct sweep_hand {
    struct machine *machine;
    struct program *program;
    struct program_runs *runs;
    struct program_model *model;
    struct estimator *estimator;
    char *property;
};

static void free_hand(void *state)
{
    struct sweep_hand *hand = state;

    estimator_free(hand->estimator);
    program_model_free(hand->model);
    program_runs_free(hand->runs);
    program_free(hand->program);
    machine_free(hand->machine);
    free(hand->property);
    free(hand);
}

static bool read_program(struct sweep_hand *hand, struct unpacking *setup, struct err *err)
{
    uint64_t length = unpack_count(setup);
    struct str about = {0};

    if (!unpack_holds(setup, length, 1))
        return false;
    str_add_bytes(&about, setup->at, length);
    setup->at += length;
    setup->left -= length;
    hand->program = program_read("of rank 0", &about, err);
    str_done(&about);
    return hand->program != NULL;
}

/* Reads the run that rank 0 predicted. The model has only this run, so it predicts exactly this run
 * for the run's inputs. Returns false on failure, with err only if the model cannot be made. */
static bool read_run(struct sweep_hand *hand, struct unpacking *setup, struct err *err)
{
    char *names[INPUTS_MAX];
    uint64_t count = unpack_count(setup);
    struct program_run run;

    if (setup->broken || count > INPUTS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        names[i] = "";
    hand->runs = program_runs_new(hand->program, names, count);
    bool ok = run_unpack(hand->program, setup, &run);
    vec_push(&hand->runs->runs, run);
    return ok && (hand->model = program_model_new(hand->runs, COUNTS_REGRESSION, NULL, NULL, err));
}

static void *open_hand(struct farmhand *farmhand, struct unpacking *setup, unsigned workers,
                       struct err *err)
{
    struct sweep_hand *hand = mem_zero(1, sizeof *hand);
    enum estimate_model kind =
        unpack_count(setup) == ESTIMATE_AMMP ? ESTIMATE_AMMP : ESTIMATE_STEADY;
    struct core_share share;

    (void)farmhand;   /* unused: work items are too short to be cancelled */
    (void)workers;    /* unused: there is always one worker, because an estimator is for one
                       * thread */
    hand->property = mem_strdup(unpack_text(setup));
    unpack_array(setup, &share, 1, sizeof share);
    const double fault = unpack_number(setup);
    if (read_program(hand, setup, err) && read_run(hand, setup, err) &&
        (hand->machine = machine_unpack(setup, err)))
        hand->estimator = estimator_new(hand->model, hand->runs->runs.items[0].inputs, kind, err);
    if (hand->estimator) {
        estimator_set_share(hand->estimator, &share);
        estimator_set_fault(hand->estimator, fault);
        return hand;
    }
    if (err->code == ERR_NONE)
        err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                "the program from rank 0 is damaged");
    free_hand(hand);
    return NULL;
}

static bool sweep_piece(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                        struct err *err)
{
    struct sweep_hand *hand = state;
    uint64_t i = unpack_count(piece);
    double value = unpack_number(piece);

    pack_count(answer, i);
    pack_number(answer, effects_time_with(hand->estimator, hand->machine, hand->property, value));
    return true;
}

static bool close_hand(void *state, struct str *result, struct err *err)
{
    return true;
}

const struct farm_work program_sweep_farm = {open_hand, sweep_piece, close_hand, free_hand};
