/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/compare.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/pages.h"
#include "work/job.h"

struct validate_values {
    struct word_list inputs;
    const char *machine;
    size_t times, threads;
    double limit, common;
};

#define ALIKE 0.1              /* largest relative difference at which two run times agree */
/* largest relative difference at which two memory measurements agree */
#define SAME_MEMORY 0.3
/* Smallest CPU time of all runs, in seconds, at which user and system time are separated. Many
 * systems count both times in timer ticks of 1 to 10 ms. */
#define SPLIT_SECONDS 0.2
/* maximum number of runs until two agree, as a multiple of the requested number */
#define MORE_TIMES 2

struct compared {
    double user, system, faults; /* predicted: CPU seconds in user and system mode, and page
                                  * faults */
    struct program_usage measured;
    bool watched; /* whether clock and core were measured during the run */
    bool split; /* whether the measured time is split into user and system time */
    double clock;
    struct core_share share;
};

struct validating {
    const struct program_model *model;
    struct program_inputs inputs;
    struct machine *machine;
    struct invocation how;
    bool here;
    unsigned times;
    size_t threads;
    double limit, common;
    /* watch of clock and core during a run; NULL: the run was not bound to one CPU */
    struct native_watch *watch;
    /* measured costs of the mathematical library functions that the program calls */
    struct call_readings calls;
    VEC(struct compared) rows;
};

/* Returns whether the job was cancelled. Each call, while the program runs, also measures clock,
 * core and library calls once. */
static bool cancelled(void *state)
{
    struct validating *v = state;

    if (v->watch) {
        native_watch_read(v->watch);
        call_readings_add(&v->calls);
    }
    return job_cancelled(NULL);
}

static bool predict(const struct validating *v, const double *inputs, const struct native *native,
                    const struct call_costs *calls, struct compared *out, struct err *err)
{
    struct estimator *e = estimator_new(v->model, inputs, ESTIMATE_STEADY, err);
    struct machine *m = e ? machine_copy(v->machine) : NULL;
    struct program_time time = {.cycles = 0};

    if (!e)
        return false;
    struct err disturbed = {0};
    const bool keep = v->here && native_is_plausible(native, m, &disturbed);
    native_apply(native, m);
    if (keep)
        native_keep(m);
    char why[512];
    if (disturbed.code)
        log_add(LOG_WARN, "the measured properties of caches and memory may be wrong: %s",
                err_text(&disturbed, why, sizeof why));
    err_clear(&disturbed);
    estimator_set_share(e, &native->share);
    estimator_set_calls(e, calls);
    estimator_set_threads(e, (double)v->threads, v->common / 100);
    struct system_cost cost = {NAN, NAN};
    const bool ok = estimator_meet_system(e, m, &cost, err) &&
                    estimator_time(e, m, NULL, &time, err);
    out->system = cost.system / (double)v->threads;
    out->user = time.seconds;
    out->faults = estimator_run(e)->faults;
    out->clock = native->clock_hz * 1e-9;
    out->share = native->share;
    program_time_done(&time);
    estimator_free(e);
    machine_free(m);
    return ok;
}

/* A run: its times, the state of the core during the run, and the index of the run */
struct program_taken {
    struct program_usage used;
    double seconds, clock_hz;
    struct core_share share;
    struct call_costs calls;
    size_t readings, at;
};

ORDER_BY(by_seconds, struct program_taken, ASCENDING(seconds))

/* Runs the program. If it has one thread, also measures clock and core on its CPU, because they may
 * change during the run. */
static bool run_watched(struct validating *v, const double *inputs,
                        const struct run_options *options, struct program_taken *out,
                        struct err *err)
{
    const struct program_runs *runs = v->model->runs;

    v->watch = v->threads > 1 ? NULL : native_watch_start();
    const bool ok = program_measure(runs->program, runs->names, runs->name_count, inputs, options,
                                    &out->used, err);
    const double all = out->used.user + out->used.system;
    out->used.user /= (double)v->threads;
    out->used.system /= (double)v->threads;
    out->seconds = ok ? all / (double)v->threads : NAN;
    out->share.taken_over = out->used.taken_over;
    out->share.away = all > 0 ? out->used.waited / all : 0;
    struct native_watch *watch = v->watch;
    v->watch = NULL;
    out->readings = native_watch_end(watch, v->machine, &out->clock_hz, &out->share);
    call_readings_judge(&v->calls, out->clock_hz, &out->calls);
    /* Subtracts the readings of the watch, each of which also interrupted the program. */
    out->share.taken_over = fmax(0, out->share.taken_over - (double)out->readings / out->seconds);
    return !isnan(out->seconds);
}

/* Returns the lower quartile of the runs, which are sorted by time. Sets @use for the memory
 * measurements before and after each run whose time agrees with this quartile. */
static const struct program_taken *quartile(const struct program_taken *seen, size_t count,
                                            bool *use)
{
    const struct program_taken *one = &seen[count / 4];

    for (size_t i = 0; i < count; i++)
        if (fabs(seen[i].seconds / one->seconds - 1) <= ALIKE)
            use[seen[i].at] = use[seen[i].at + 1] = true;
    return one;
}

/* Returns whether another run agrees with the lower quartile in time and memory speed. If none
 * does, the quartile may be an outlier. Runs are sorted by time. */
static bool settled(const struct native_probe *probe, const struct program_taken *seen,
                    size_t count)
{
    const struct program_taken *one = &seen[count / 4];
    bool *use = mem_alloc((count + 1) * sizeof *use), found = false;

    for (size_t i = 0; i < count && !found; i++) {
        memset(use, 0, (count + 1) * sizeof *use);
        use[one->at] = use[one->at + 1] = use[seen[i].at] = use[seen[i].at + 1] = true;
        found = &seen[i] != one && fabs(seen[i].seconds / one->seconds - 1) <= ALIKE &&
                native_probe_agrees(probe, use, SAME_MEMORY);
    }
    free(use);
    return found;
}

/* Splits the CPU time of @used into user and system time by the ratio over all runs. Returns false
 * if the runs were too short for a reliable ratio. */
static bool split(const struct program_taken *seen, size_t count, struct program_usage *used)
{
    const double all = used->user + used->system;
    double user = 0, system = 0;

    for (size_t i = 0; i < count; i++) {
        user += seen[i].used.user;
        system += seen[i].used.system;
    }
    used->user = user + system > 0 ? all * user / (user + system) : all;
    used->system = all - used->user;
    return user + system >= SPLIT_SECONDS && user > 0;
}

/* Measures memory before and after each run, and the core during the run. Returns the lower
 * quartile, with all memory measurements around runs of about equal time, because a single
 * measurement may be wrong by chance. If several runs are requested, repeats until two runs agree,
 * at most MORE_TIMES times the requested number. */
static bool measure(struct validating *v, const double *inputs, struct native *native,
                    struct call_costs *calls, struct compared *out, struct err *err)
{
    struct run_options options = {v->how,
                                  TRACE_COUNTS,
                                  v->limit,
                                  (size_t)64 << 30,
                                  v->threads > 1 ? 0 : NATIVE_WATCH_PERIOD,
                                  v->threads,
                                  NULL};
    /* Does not repeat a single requested run, because there is nothing to compare. */
    const unsigned most = v->times > 1 ? MORE_TIMES * v->times : 1;
    struct native_probe *probe = native_probe_new(v->machine, err);
    struct program_taken *seen = mem_zero(most, sizeof *seen);
    bool ok = probe != NULL;
    unsigned count = 0;

    if (ok)
        native_probe_look(probe);
    while (ok && count < most && (count < v->times || !settled(probe, seen, count))) {
        seen[count].at = count;
        ok = run_watched(v, inputs, &options, &seen[count], err);
        native_probe_look(probe);
        qsort(seen, ++count, sizeof *seen, by_seconds);
    }
    if (ok) {
        bool *use = mem_zero(count + 1, sizeof *use);
        const struct program_taken *one = quartile(seen, count, use);
        out->measured = one->used;
        out->split = split(seen, count, &out->measured);
        native_probe_result(probe, use, native);
        free(use);
        *calls = (struct call_costs){.count = 0};
        out->watched = one->readings > 0;
        if (out->watched) {
            *calls = one->calls;
            native->clock_hz = one->clock_hz;
            native->share = one->share;
        } else {
            native->share.taken_over = one->share.taken_over;
            native->share.away = one->share.away;
        }
    }
    free(seen);
    native_probe_free(probe);
    return ok;
}

static bool validate_run(void *state, struct result *result, struct err *err)
{
    struct validating *v = state;
    const struct program *program = v->model->runs->program;
    bool ok = true;

    native_apply_faults(v->machine);   /* called once: takes 1 s, and does not depend on the run */
    for (size_t b = 0; b < program->block_count; b++)
        for (size_t k = 0; k < program->blocks[b].call_count; k++)
            if (!program_has(program, program->blocks[b].calls[k]))
                call_readings_want(&v->calls, program->blocks[b].calls[k]);
    child_watch(cancelled, v);
    for (size_t r = 0; ok && r < v->inputs.count; r++) {
        const double *inputs = v->inputs.values + r * v->inputs.name_count;
        struct compared c = {.user = NAN};
        struct native native;
        struct call_costs calls;
        job_progress((double)r, (double)v->inputs.count, "run %zu of %zu", r + 1, v->inputs.count);
        ok = measure(v, inputs, &native, &calls, &c, err) &&
             predict(v, inputs, &native, &calls, &c, err);
        if (ok)
            vec_push(&v->rows, c);
    }
    child_watch(NULL, NULL);
    return ok;
}

static bool validate_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column measures[] = {
        {.key = "predicted", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "measured", .unit = "s", .kind = CELL_NUMBER, .decimals = 6},
        {.key = "error", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "user", .title = "user: predicted", .unit = "s", .kind = CELL_NUMBER,
         .decimals = 6},
        {.key = "user_measured", .title = "measured", .unit = "s", .kind = CELL_NUMBER,
         .decimals = 6},
        {.key = "user_error", .title = "error", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "system", .title = "system: predicted", .unit = "s", .kind = CELL_NUMBER,
         .decimals = 6},
        {.key = "system_measured", .title = "measured", .unit = "s", .kind = CELL_NUMBER,
         .decimals = 6},
        {.key = "system_error", .title = "error", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "faults", .title = "page faults: predicted", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "faults_measured", .title = "measured", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "clock", .unit = "GHz", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "slots", .title = "available issue slots", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 0},
        {.key = "ports", .title = "available ports", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 0},
        {.key = "taken_over", .title = "preemptions", .unit = "1/s", .kind = CELL_NUMBER,
         .decimals = 0}};
    struct validating *v = state;
    struct result_column columns[INPUTS_MAX + sizeof measures / sizeof *measures];
    size_t n = v->inputs.name_count, split = 0, watched = 0;
    double sum = 0, user_sum = 0;

    program_show_resume(s);
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct result_column){
            .key = v->inputs.names[i], .kind = CELL_NUMBER, .decimals = SHORTEST};
    memcpy(columns + n, measures, sizeof measures);
    program_say_threads(result, v->threads, v->common);
    struct result_table *t =
        result_table(result, "times", columns, n + sizeof measures / sizeof *measures);
    for (size_t r = 0; r < v->rows.count; r++) {
        const struct compared *c = &v->rows.items[r];
        const double measured = c->measured.user + c->measured.system,
                     user_error = c->user / c->measured.user - 1;
        for (size_t i = 0; i < n; i++)
            cell_number(t, v->inputs.values[r * n + i]);
        cell_number(t, c->user + c->system);
        cell_number(t, measured);
        cell_number(t, 100 * ((c->user + c->system) / measured - 1));
        cell_number(t, c->user);
        cell_number(t, c->split ? c->measured.user : NAN);
        cell_number(t, c->split ? 100 * user_error : NAN);
        cell_number(t, c->system);
        cell_number(t, c->split ? c->measured.system : NAN);
        cell_number(t, c->split && c->measured.system > 0
                           ? 100 * (c->system / c->measured.system - 1)
                           : NAN);
        cell_number(t, c->faults);
        cell_number(t, c->measured.faults);
        cell_number(t, c->clock);
        cell_number(t, 100 * c->share.slots);
        cell_number(t, 100 * c->share.ports);
        cell_number(t, c->share.taken_over);
        sum += fabs((c->user + c->system) / measured - 1);
        user_sum += c->split ? fabs(user_error) : 0;
        split += c->split;
        watched += c->watched;
        if (s->document.program.model == v->model) {
            struct program_point point = {.seconds = measured};
            memcpy(point.inputs, v->inputs.values + r * n, n * sizeof *point.inputs);
            vec_push(&s->document.program.measured.list, point);
        }
    }
    const double mean = sum / (double)v->rows.count, user_mean = user_sum / (double)split;
    struct str text = {0};
    str_addf(&text, "mean error %.1f %% with the machine %s. Measured: CPU time", 100 * mean,
             v->machine->id);
    if (v->threads > 1)
        str_addf(&text, " divided by the %zu threads", v->threads);
    if (v->times > 1)
        str_addf(&text, ", lower quartile of %u to %u runs%s, repeated until two agree. ", v->times,
                 MORE_TIMES * v->times,
                 v->times <= 3 ? " (minimum of up to 3 runs)" : "");
    else
        str_add(&text, " of one run. ");
    if (watched == v->rows.count)
        str_add(&text, "Clock and available share of the core were measured during each run, "
                       "memory speed before and after it");
    else
        str_add(&text, "Clock, available share of the core and memory speed were measured before "
                       "and after each run");
    if (watched && watched < v->rows.count)
        str_addf(&text, ", clock and share of %zu of %zu rows during the run", watched,
                 v->rows.count);
    result_line(result, "%s", str_text(&text));
    str_done(&text);
    if (split)
        result_line(result, "mean error of user time (without system time) %.1f %%",
                    100 * user_mean);
    if (split < v->rows.count)
        result_line(
            result,
            "user and system time cannot be distinguished in runs of less than %g s in total",
            SPLIT_SECONDS);
    result_number(result, "mean_error", mean);
    result_number(result, "user_error", split ? user_mean : NAN);
    return true;
}

static void validating_free(void *state)
{
    struct validating *v = state;
    program_inputs_done(&v->inputs);
    vec_done(&v->rows);
    machine_free(v->machine);
    program_model_free(v->model);
    invocation_done(&v->how);
    free(v);
}

static bool prepare_validate(struct session *s, const void *values, struct task *task,
                             struct err *err)
{
    static const struct task_ops ops = {"measures", validate_run, validate_finish, validating_free,
                                        .failed = program_show_failed, .listed = TASK_LISTED,
                                        .measures = true};
    const struct validate_values *given = values;
    const struct program_model *m = program_fitted(s, err);
    bool here;

    if (!m)
        return false;
    struct validating *v = mem_zero(1, sizeof *v);
    v->model = program_model_hold(m);
    v->how = invocation_copy(&s->document.program.how);
    v->times = (unsigned)given->times;
    v->threads = given->threads;
    v->common = given->common;
    v->limit = given->limit;
    const struct machine *machine =
        program_machine(s, given->machine ? given->machine : HERE_NAME, &here, err);
    v->machine = machine ? machine_copy(machine) : NULL;
    v->here = machine && here;
    bool ok = machine && program_inputs_read(&given->inputs, 0, &v->inputs, err);
    if (ok && v->inputs.name_count != m->runs->name_count)
        ok = err_set(err, ERR_USAGE, "give a value for each input of program run, and no other",
                     "inputs given: %zu; inputs of program run: %zu", v->inputs.name_count,
                     m->runs->name_count);
    for (size_t i = 0; ok && i < v->inputs.name_count; i++)
        ok =
            strcmp(v->inputs.names[i], m->runs->names[i]) == 0 ||
            err_set(err, ERR_USAGE, "give the inputs of program run, in the same order",
                    "input %s was called %s in program run", v->inputs.names[i], m->runs->names[i]);
    for (size_t i = 0; ok && i < v->inputs.count * v->inputs.name_count; i++)
        ok = program_input_like_runs(m->runs, i % v->inputs.name_count, v->inputs.values[i], err);
    if (ok) {
        program_show_put_off(s);
        return task_give(task, &ops, v);
    }
    validating_free(v);
    return false;
}

const struct command command_program_validate = {
    .name = "program validate",
    .help =
        "run the program without counters on this CPU, and compare its time with the prediction",
    .description =
        "Runs the build that program load made with the same compiler and options, but without "
        "counters. Its CPU time includes system time for its start and memory. This system time is "
        "measured on this CPU and added to the prediction. The clock, caches, memory and the "
        "available share of the core are measured for each run. With --threads the program gets "
        "OMP_NUM_THREADS, and its time is the CPU time of all threads divided by their number. "
        "Load such a program with program load ./serial --untraced ./with-openmp.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "INPUT=VALUES", struct validate_values, inputs), .required = true,
         .help = "input and its values; with several inputs, all combinations are run"}),
    .options = PARAMETERS(
        MACHINE_OPTION(validate_values, "this CPU's machine", "machine to predict with"),
        PROGRAM_THREADS_OPTIONS(validate_values),
        {PARAMETER(COUNT, "--times", struct validate_values, times), .value = "N", .least = 1,
         .most = 1000, .initial = "3",
         .help = "runs per input; if N is 2 or more, up to 2N until two agree; reports the lower "
                 "quartile (of up to three runs the minimum)"},
        {PARAMETER(DURATION, "--limit", struct validate_values, limit), .value = "T",
         .least = 0.001, .most = 1e6, .initial = "60",
         .help = "time limit of each run; the command fails if a run exceeds it"}),
    .examples =
        EXAMPLES("program validate N=512,1000,2000", "program validate N=512 --times 5 --limit 1m"),
    .values_size = sizeof(struct validate_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_validate,
};
