/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "program/estimate.h"
#include "program/fit.h"
#include "program/native_kept.h"
#include "work/job.h"

/* largest ratio of an input in the formula's range to the largest input of the runs */
#define REACH 8
#define POINTS_MOST 160

struct mix_values {
    struct word_list inputs;
    const char *machine;
};

/* Adds the executed instructions per class, and the utilisation of the pipelines of @kinds. */
static void add_mix(struct result *result, const struct program *p, const struct program_run *run,
                    const struct pipe_kind *kinds, const struct program_time *time)
{
    static const struct result_column columns[] = {
        {.key = "class", .kind = CELL_TEXT},
        {.key = "executed", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "pipes", .kind = CELL_COUNT},
        {.key = "latency", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "interval", .title = "issue interval", .unit = "cycles", .kind = CELL_NUMBER,
         .decimals = 2},
        {.key = "usage", .title = "pipeline usage", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 2}};
    double counts[OP_CLASSES] = {0}, all = 0;

    for (size_t b = 0; b < p->block_count; b++)
        for (size_t i = 0; i < p->blocks[b].op_count; i++) {
            counts[p->blocks[b].ops[i].class] += run->counts[b];
            all += run->counts[b];
        }
    struct result_table *t = RESULT_TABLE(result, "mix", columns);
    for (unsigned class = 0; class < OP_CLASSES; class++) {
        if (!(counts[class] > 0))
            continue;
        cell_text(t, op_class_name((enum op_class)class));
        cell_number(t, counts[class]);
        cell_number(t, 100 * counts[class] / all);
        cell_heat(t, counts[class] / all);
        cell_count(t, kinds[class].count);
        cell_number(t, kinds[class].latency);
        cell_number(t, kinds[class].interval);
        cell_number(t, 100 * time->busy[class] / (kinds[class].count * time->cycles));
    }
    result_number(result, "instructions", all);
}

static bool run_mix(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct mix_values *v = values;
    const struct program_model *m = program_fitted(s, err);
    struct program_time time = {.cycles = 0};
    struct pipe_kind kinds[OP_CLASSES];
    double inputs[INPUTS_MAX];
    struct str at = {0};
    bool here;

    const struct machine *machine = m ? program_machine(s, v->machine, &here, err) : NULL;
    if (!machine || !program_inputs_given(m, &v->inputs, inputs, err) ||
        !ammp_pipes(machine, kinds, err))
        return false;
    struct estimator *e = estimator_new(m, inputs, ESTIMATE_AMMP, err);
    bool ok = e && estimator_time(e, machine, NULL, &time, err);
    if (ok) {
        program_inputs_print(m->runs->names, inputs, m->runs->name_count, &at);
        result_line(result,
                    "%s: LLVM instructions executed at %s; pipelines of %s, model ammp of the "
                    "PPT-AMMP paper",
                    m->runs->program->name, str_text(&at), machine->id);
        add_mix(result, m->runs->program, estimator_run(e), kinds, &time);
    }
    str_done(&at);
    program_time_done(&time);
    estimator_free(e);
    return ok;
}

const struct command command_program_mix = {
    .name = "program mix",
    .help = "show the program's instructions by class, and their pipeline usage",
    .description = "Instructions are LLVM's after optimisation. Pipeline usage is the share of the "
                   "predicted cycles in which the pipelines of a class are busy. The model of "
                   "the PPT-AMMP paper executes every block separately. A class has the latency "
                   "and throughput of a typical form.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(mix_values)),
    .options = PARAMETERS(
        MACHINE_OPTION(mix_values, "the current machine", "machine to predict for")),
    .examples = EXAMPLES("program mix N=2000", "program mix N=2000 --machine skylake"),
    .values_size = sizeof(struct mix_values),
    .run = run_mix,
};

struct formula_values { const char *machine; };

struct time_formula {
    const struct program_model *model;
    struct machine *machine;
    bool here;
    char day[KEPT_DAY];
    struct core_share share;
    double fault;                      /* CPU seconds per page fault, or 0 */
    double *inputs, *seconds;
    size_t count;
    struct formula formula;            /* formula of the time in nanoseconds */
};

static bool time_point(struct time_formula *f, double *inputs, struct err *err)
{
    struct program_time time = {.cycles = 0};
    struct estimator *e = estimator_new(f->model, inputs, ESTIMATE_STEADY, err);
    struct system_cost cost;
    bool ok = e != NULL;

    /* For all points, uses the core's share and the cost of page faults that were measured for the
     * first point. */
    if (ok && f->here && !f->count) {
        estimator_meet_here(e, f->machine);
        f->share = estimator_share(e);
        ok = estimator_meet_system(e, f->machine, &cost, err);
        f->fault = estimator_fault(e);
    } else if (ok && f->here) {
        estimator_set_share(e, &f->share);
        estimator_set_fault(e, f->fault);
    }
    ok = ok && estimator_time(e, f->machine, NULL, &time, err);
    if (ok) {
        memcpy(f->inputs + f->count * f->model->runs->name_count, inputs,
               f->model->runs->name_count * sizeof *inputs);
        f->seconds[f->count++] = 1e9 * time.seconds;
    }
    program_time_done(&time);
    estimator_free(e);
    return ok;
}

/* Predicts the time at the inputs of the runs, and at two, four and eight times these inputs. Uses
 * only a part of the runs if there would be more than POINTS_MOST points. Fits the formula to these
 * times by regression. */
static bool formula_run(void *state, struct result *result, struct err *err)
{
    struct time_formula *f = state;
    const struct program_runs *runs = f->model->runs;
    size_t steps = runs->runs.count * 4 < POINTS_MOST ? 1 : runs->runs.count * 4 / POINTS_MOST + 1;
    bool ok = !f->here || native_known(f->machine, false, f->day, err);

    f->inputs = mem_zero(4 * runs->runs.count * runs->name_count + 1, sizeof *f->inputs);
    f->seconds = mem_zero(4 * runs->runs.count + 1, sizeof *f->seconds);
    for (size_t r = 0; ok && r < runs->runs.count; r += steps)
        for (double factor = 1; ok && factor <= REACH; factor *= 2) {
            double inputs[INPUTS_MAX];
            for (size_t i = 0; i < runs->name_count; i++)
                inputs[i] = factor * runs->runs.items[r].inputs[i];
            job_progress((double)r, (double)runs->runs.count, "predicting");
            ok = watch_goes_on(err) && time_point(f, inputs, err);
        }
    if (ok)
        fit_counts(&(struct fit_data){f->inputs, runs->name_count, f->count, f->seconds},
                   &f->formula);
    return ok;
}

static bool formula_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct time_formula *f = state;
    const struct program_runs *runs = f->model->runs;
    struct str text = {0};

    formula_print(&f->formula, (const char *const *)runs->names, runs->name_count, &text);
    result_line(result, "%s on %s, in nanoseconds: %s", runs->program->name, f->machine->id,
                str_text(&text));
    program_say_memory(result, f->day);
    result_text(result, "machine", f->machine->id);
    result_text(result, "nanoseconds", str_text(&text));
    result_number(result, "left_out_error", f->formula.error);
    result_line(result,
                "fitted to %zu predictions at inputs up to %d times the inputs of the runs; mean "
                "error if each prediction is estimated from the other predictions: %.1f %%",
                f->count, REACH, 100 * f->formula.error);
    str_done(&text);
    return true;
}

static void time_formula_free(void *state)
{
    struct time_formula *f = state;
    machine_free(f->machine);
    program_model_free(f->model);
    free(f->inputs);
    free(f->seconds);
    free(f);
}

static bool prepare_formula(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"predicts", formula_run, formula_finish, time_formula_free,
                                        .listed = TASK_LISTED};
    const struct formula_values *v = values;
    const struct program_model *m = program_fitted(s, err);
    bool here;

    const struct machine *machine = m ? program_machine(s, v->machine, &here, err) : NULL;
    if (!machine)
        return false;
    struct time_formula *f = mem_zero(1, sizeof *f);
    f->model = program_model_hold(m);
    f->machine = machine_copy(machine);
    f->here = task->measures = here;
    return task_give(task, &ops, f);
}

const struct command command_program_formula = {
    .name = "program formula",
    .help = "show the program's predicted time as a formula of its inputs",
    .description = "Fits a formula by regression to predictions at the inputs of the runs and at "
                   "inputs up to eight times larger. If the data outgrow a cache, the formula only "
                   "approximates program predict.",
    .options =
        PARAMETERS(MACHINE_OPTION(formula_values, "the current machine", "machine to predict for")),
    .examples = EXAMPLES("program formula", "program formula --machine skylake"),
    .values_size = sizeof(struct formula_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_formula,
};
