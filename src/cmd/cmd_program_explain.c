/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_object.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/explained.h"
#include "cmd/explained_result.h"
#include "cmd/program.h"
#include "cmd/program_output.h"
#include "cmd/task.h"
#include "insitu/events.h"
#include "insitu/insitu.h"
#include "insitu/lines.h"
#include "insitu/paths.h"
#include "insitu/predictor.h"
#include "insitu/split.h"
#include "measure/kernel_passes.h"
#include "profile/launch.h"
#include "profile/profile.h"
#include "profile/tasks.h"
#include "work/job.h"

#define ATTACHED_SECONDS 5.0
#define OTHERS_SHOWN 5u    /* maximum number of loops that a message lists */
#define PATH_MOST 500u     /* maximum number of instructions of a stored and measured path */
#define RECORDED_SECONDS 0.6 /* seconds for which the recorded iterations are run */
#define SAMPLE_RATE 1000.0 /* samples per CPU second */

struct explain_values {
    const char *loop, *file, *output, *input, *machine;
    struct word_list words;
    double seconds;
    size_t pid, measure;
};

struct explaining {
    VEC(char *) argv;    /* arguments, NULL-terminated; only NULL for a running process */
    char *place, *input; /* @place: symbol or address; NULL: the session's kernel */
    struct program_output output;
    struct insitu_options options;
    struct explained_findings found;
    size_t measure; /* maximum number of paths to measure in isolation */
};

static bool goes_on(void *state, double seconds, uint64_t iterations)
{
    struct explaining *w = state;
    job_progress(seconds, isinf(w->options.seconds) ? 0 : w->options.seconds,
                 "%" PRIu64 " iteration%s in %.1f s", iterations, plural(iterations), seconds);
    return !job_cancelled(NULL);
}

static bool find_loop(struct explaining *w, struct err *err)
{
    struct kernel_options options = {.symbol = w->place};
    char resolved[4096];

    if (w->found.kernel)
        return true;
    if (!w->found.file && w->options.pid) {
        if (!task_program(w->options.pid, resolved, sizeof resolved, err))
            return false;
        w->found.file = mem_strdup(resolved);
    } else if (!w->found.file && !(w->found.file = path_find_program(w->argv.items[0])))
        return err_set(err, ERR_MISSING,
                       "give the path of the program, as in ./NAME", "no such program: %s",
                       w->argv.items[0]);
    char *real = realpath(w->found.file, NULL);
    if (real) {
        free(w->found.file);
        w->found.file = real;
    }
    struct kernel *k = kernel_from_object(w->found.file, &options, err);
    w->found.kernel = k;
    w->found.loop = 0;
    if (k)
        w->found.name = mem_strdup(*k->loops[0].label ? k->loops[0].label : w->place);
    return k != NULL;
}

/* Keeps a temporary output file, or removes it if it is empty. */
static void keep_output(struct explaining *w)
{
    if (w->output.own && !program_output_any(&w->output))
        program_output_done(&w->output);
    w->output.own = false;
}

/* Returns whether the loop was executed. If it was not, err has the reason if known; otherwise it
 * names the watched instruction, and other loops of a place that the user gave. */
static bool enough(const struct explaining *w, struct err *err)
{
    const struct insitu *x = &w->found.insitu;
    const struct kernel *k = w->found.kernel;
    char address[PLACE_TEXT + 2];
    struct str todo = {0};

    if (placed_iterations(&x->placed))
        return true;
    if (x->cut)
        return err_set(err, ERR_DATA, NULL, "the loop was not executed: %s", x->cut);
    str_add(&todo, "program profile lists the program's hot loops");
    size_t others = 0;
    for (size_t i = 0; w->place && i < k->loop_count; i++)
        if (i != w->found.loop && k->loops[i].depth && others++ < OTHERS_SHOWN)
            str_addf(&todo, "%s %s", others > 1 ? "," : "; other loops of this code:",
                     insn_address_text(&k->insns[k->loops[i].first], address));
    if (others > OTHERS_SHOWN)
        str_addf(&todo, " and %zu more", others - OTHERS_SHOWN);
    const struct insn *pivot = x->placed.region ? x->region.list.items[x->region.pivot].insn : NULL;
    err_set(err, ERR_DATA, str_text(&todo),
            "the loop was not executed in %.1f s: no execution of the instruction at %s, which "
            "each iteration contains",
            x->seconds, pivot ? insn_address_text(pivot, address) : "the loop's head");
    str_done(&todo);
    return false;
}

/* Splits the difference between measured and predicted time by cause. */
static void split(struct explaining *w)
{
    const struct insitu *x = &w->found.insitu;
    struct split_facts f = {
        .predicted = w->found.predicted,
        .missed = w->found.branches.missed,
        .fresh = w->found.lines.fresh,
        .streamed = w->found.lines.streamed,
        .trip = insitu_trip(x),
        .calls = x->region.calls > 0,
        .detours = x->region.indirect && !x->region.jumps_indirect,
        .extra = explained_extra(x)};

    for (size_t i = 0; i < x->region.list.count; i++)
        f.unseen |= x->region.list.items[i].in_loop && events_unseen(&x->region.list.items[i]);
    f.low = insitu_cycles(x, EXPLAINED_LOW, &f.alone);
    f.high = insitu_cycles(x, EXPLAINED_HIGH, &f.alone);
    f.live = insitu_cycles(x, INSITU_TYPICAL, &f.alone);
    struct split_replays replays;
    bool leaves;
    if (replay_sum(&x->replays, &replays, &leaves, &w->found.unreplayed)) {
        bool original = x->region.jumps_indirect && insitu_original(x);
        replays.live = leaves || original ? insitu_cycles_whole(x) : f.live;
        f.besides = fmax(replays.live - f.live, 0);
        f.replays = &replays;
    }
    w->found.split = split_of(&f);
    if (x->region.dispatch)
        w->found.split.why = "no cycles are predicted for computed gotos";
}

static bool goes_on_sampling(void *state, double seconds, size_t samples)
{
    struct explaining *w = state;
    job_progress(seconds, isinf(w->options.seconds) ? 0 : w->options.seconds,
                 "%zu sample%s in %.1f s", samples, plural(samples), seconds);
    return !job_cancelled(NULL);
}

/* Samples the process, because tracing is not permitted. Samples give only the loop's share of the
 * time. Returns false with err, which names both obstacles, if there are no samples. */
static bool sample_instead(struct explaining *w, struct err *err)
{
    const struct insitu_options *o = &w->options;
    const struct sampling sampling = {.argv = o->argv,
                                      .pid = o->pid,
                                      .output = o->output,
                                      .input = o->input,
                                      .seconds = o->seconds,
                                      .rate = SAMPLE_RATE,
                                      .method = SAMPLING_CLOCK,
                                      .goes_on = goes_on_sampling,
                                      .state = w};
    struct sampled sampled;
    struct err why = {0};

    if (sampling_run(&sampling, &sampled, &why) && sampled.samples.count)
        w->found.sampled = profile_new(&sampled, SAMPLE_RATE, 0, NULL, NULL, &why);
    sampled_done(&sampled);
    return w->found.sampled ||
           err_set(err, w->found.refused.code, w->found.refused.todo,
                   "%s. Sampling by the system's clock also failed: %s%s%s", w->found.refused.what,
                   why.code ? why.what : "there were no samples", *why.todo ? "; " : "", why.todo);
}

/* Measures the most frequent paths in isolation on this CPU, with the recorded branch directions
 * and data in the first-level cache. Stores the last reason why a path was not measured. */
static void measure_paths(struct explaining *w)
{
    struct calibration calibration;
    size_t most = w->measure < w->found.kept->paths.count ? w->measure : w->found.kept->paths.count;
    struct sandbox *sandbox = most ? sandbox_new(-1, &w->found.unmeasured) : NULL;

    if (sandbox && calibrate(sandbox, job_cancelled, NULL, &calibration, &w->found.unmeasured)) {
        sandbox_cancel_by(sandbox, job_cancelled, NULL);
        for (size_t i = 0; i < most && !job_cancelled(NULL); i++) {
            struct explained_path *p = &w->found.kept->paths.items[i];
            struct kernel_measured measured;
            job_progress((double)i, (double)most, "measuring paths outside the program");
            if (!p->insns.count)
                err_set(&w->found.unmeasured, ERR_LIMIT, NULL,
                        "the path has %zu instructions; the maximum is %u", p->executed, PATH_MOST);
            else if (kernel_run(sandbox, &calibration, p->insns.items, p->insns.count, &measured,
                                &w->found.unmeasured))
                p->alone = measured.cycles;
        }
    }
    sandbox_free(sandbox);
}

/* Runs the recorded iterations in the sandbox if caches or the TLB are a cause. Stores the reason
 * if they are then not run. */
static void measure_recorded(struct explaining *w)
{
    struct calibration calibration;
    const struct explained_loop *k = w->found.kept;
    const struct split_term *term = &w->found.split.cache;
    struct err *err = &w->found.unrecorded;

    if (!(term->cycles > term->off))
        return;
    *err = k->unrecorded;
    if (!err->code && !w->measure)
        err_set(err, ERR_MISSING, NULL, "--measure 0 omits runs outside the program");
    struct sandbox *sandbox = err->code ? NULL : sandbox_new(-1, err);
    if (!sandbox)
        return;
    sandbox_cancel_by(sandbox, job_cancelled, NULL);
    job_progress(0, 0, "running recorded iterations outside the program");
    if (calibrate(sandbox, job_cancelled, NULL, &calibration, err) &&
        !recorded_costs_measure(sandbox, &k->recording, k->cycles, k->huge, true, RECORDED_SECONDS,
                                &w->found.recorded, err))
        w->found.recorded.cycles = NAN;
    sandbox_free(sandbox);
}

static void keep(struct explaining *w)
{
    static const char *const causes[] = {[SPLIT_BRANCH] = "mainly mispredicted branches",
                                         [SPLIT_CACHE] = "mainly cache misses",
                                         [SPLIT_REST] = "neither branches nor caches",
                                         [SPLIT_NONE] = NULL,
                                         [SPLIT_REFUSED] = NULL};
    const struct insitu *x = &w->found.insitu;
    struct explained_loop *k = mem_zero(1, sizeof *k);
    bool alone;
    /* Extends the range to the mean, which may be outside the quantiles. */
    const double cycles = insitu_cycles(x, INSITU_TYPICAL, &alone);

    *k = (struct explained_loop){.kernel = kernel_hold(w->found.kernel),
                                 .loop = w->found.loop,
                                 .cycles = cycles,
                                 .low = fmin(insitu_cycles(x, EXPLAINED_LOW, &alone), cycles),
                                 .high = fmax(insitu_cycles(x, EXPLAINED_HIGH, &alone), cycles),
                                 .predicted = w->found.predicted,
                                 .cause = causes[w->found.split.cause],
                                 .iterations = w->found.paths.iterations,
                                 .lines = w->found.lines.fresh + w->found.lines.streamed};
    k->bytes = EXPLAINED_LINE * lines_all(&w->found.lines, &k->bytes_at_least);
    for (size_t i = 0; i < w->found.paths.list.count && i < EXPLAINED_PATHS; i++) {
        const struct path *path = &w->found.paths.list.items[i];
        struct explained_path p = {
            .share = (double)path->iterations / (double)w->found.paths.iterations,
            .predicted =
                w->found.machine ? mix_predict_path(&x->region, path, w->found.machine) : NAN,
            .alone = NAN,
            .leaves = path->leaves,
            .executed = path->insns.count};
        if (path->insns.count <= PATH_MOST) {
            vec_reserve(&p.insns, path->insns.count);
            p.insns.count = mix_append(&x->region, path, p.insns.items, 0, path->insns.count);
        }
        vec_push(&k->paths, p);
    }
    k->huge = x->placed.huge > 0.5;
    explained_recording(&x->placed, &w->found.lines, &k->recording, &k->unrecorded);
    w->found.kept = k;
}

static bool explain_run(void *state, struct result *result, struct err *err)
{
    struct explaining *w = state;

    w->options.goes_on = goes_on;
    w->options.state = w;
    if (!find_loop(w, err))
        return false;
    w->options.kernel = w->found.kernel;
    w->options.loop = w->found.loop;
    w->options.file = w->found.file;
    bool ok = insitu_run(&w->options, &w->found.insitu, err);
    if (!ok && w->found.insitu.refused && err->code != ERR_MISSING) {
        w->found.refused = *err;
        if (sample_instead(w, err)) {
            err_clear(err);
            keep_output(w);
            return true;
        }
    }
    if (job_cancelled(NULL))
        ok = err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    ok = ok && enough(w, err);
    if (!ok)
        return false;
    keep_output(w);
    paths_find(&w->found.insitu.placed, &w->found.paths);
    w->found.predicted =
        w->found.machine && strcmp(isa_name(w->found.kernel->isa), w->found.machine->isa) == 0
            ? mix_predict(&w->found.insitu.region, &w->found.paths, w->found.machine)
            : NAN;
    predictor_run(&w->found.insitu.placed, &w->found.branches);
    lines_find(&w->found.insitu.placed, EXPLAINED_LINE, &w->found.lines);
    split(w);
    keep(w);
    measure_paths(w);
    measure_recorded(w);
    return watch_goes_on(err);
}

static bool explain_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct explaining *w = state;

    w->found.output = w->output.path;
    w->found.started = w->options.argv != NULL;
    explained_result(&w->found, result);
    if (w->found.sampled)
        return true;
    explained_free(s->document.explained);
    s->document.explained = w->found.kept;
    w->found.kept = NULL;
    return true;
}

static void explaining_free(void *state)
{
    struct explaining *w = state;

    vec_free_texts(&w->argv);
    program_output_done(&w->output);
    free(w->input);
    free(w->place);
    free(w->found.file);
    free(w->found.name);
    profile_free(w->found.sampled);
    explained_free(w->found.kept);
    paths_done(&w->found.paths);
    predictor_done(&w->found.branches);
    lines_done(&w->found.lines);
    recorded_costs_done(&w->found.recorded);
    insitu_done(&w->found.insitu);
    kernel_free(w->found.kernel);
    machine_free(w->found.machine);
    free(w);
}

/* Selects loop @number, from 1, of the last profile. If @again is true, also selects the profiled
 * program with its arguments and, unless the user gave another, its input, to run it again. */
static bool take_profiled(struct explaining *w, const struct run_profile *p, size_t number,
                          bool again, struct err *err)
{
    if (!p)
        return err_set(err, ERR_USAGE,
                       "run program profile PROGRAM, or give the function or address of the loop",
                       "no program has been profiled");
    const struct profile_loop *l = program_profiled_loop(p, number, err);
    if (!l)
        return false;
    const struct kernel_loop *loop = &l->kernel->loops[l->loop];
    w->found.file = mem_strdup(l->file);
    if (loop->dispatch) {   /* Loads the whole function, because the profile may have only a part of
                             * it. */
        struct str at = {0};
        str_addf(&at, "0x%" PRIx64, l->kernel->insns[loop->first].offset);
        w->place = str_take(&at);
    } else {
        w->found.kernel = kernel_hold(l->kernel);
        w->found.loop = l->loop;
        w->found.name = mem_strdup(l->name);
    }
    if (!again)
        return true;
    if (!p->argv.count)
        return err_set(err, ERR_USAGE, "use --pid N to attach to the process again",
                       "%s was not started by Portolan", p->program);
    for (size_t i = 0; i < p->argv.count; i++)
        vec_push(&w->argv, mem_strdup(p->argv.items[i]));
    if (p->input && !w->input)
        w->input = mem_strdup(p->input);
    if (p->processes <= 1 && !p->cut_off)
        w->found.profiled_cpu = p->user + p->system;
    return true;
}

static bool prepare_explain(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"watches the loop", explain_run, explain_finish,
                                        explaining_free, .listed = TASK_LISTED, .measures = true};
    const struct explain_values *v = values;
    bool attach = v->pid != NOT_GIVEN, ok = true;
    size_t number;

    if (attach && (v->words.count || v->output || v->input))
        return err_set(err, ERR_USAGE,
                       "omit the program, --output and --input: --pid selects a running process",
                       "--pid cannot be combined with a program, --output or --input");
    struct explaining *w = mem_zero(1, sizeof *w);
    w->measure = v->measure;
    w->found.profiled_cpu = NAN;
    w->input = mem_strdup(v->input);
    for (size_t i = 0; i < v->words.count; i++)
        vec_push(&w->argv, mem_strdup(v->words.items[i]));
    if (strncmp(v->loop, "0x", 2) != 0 && parameter_count(v->loop, &number))
        ok = take_profiled(w, s->document.profile, number, !attach && !v->words.count, err);
    else if (!attach && !v->words.count)
        ok = err_set(
            err, ERR_USAGE,
            "use program explain LOOP ./PROGRAM -- ARGUMENTS, or program explain LOOP --pid N",
            "no program given");
    else {
        w->place = mem_strdup(v->loop);
        w->found.file = mem_strdup(v->file);
    }
    vec_push(&w->argv, NULL);
    ok = ok && program_host_machine(s, v->machine, &w->found.machine, err) &&
         (attach || program_output_choose(&w->output, v->output, err));
    w->options = (struct insitu_options){.argv = attach ? NULL : (const char *const *)w->argv.items,
                                         .pid = attach ? (pid_t)v->pid : 0,
                                         .output = w->output.path,
                                         .input = w->input,
                                         .seconds = !isnan(v->seconds) ? v->seconds
                                                    : attach           ? ATTACHED_SECONDS
                                                                       : INFINITY};
    return task_give(task, &ops, w) && ok;
}

const struct command command_program_explain = {
    .name = "program explain",
    .help = "count and time a hot loop within its running program",
    .description =
        "Works on optimised and stripped programs and libraries, without counters and privileges. "
        "Copies of the loop are inserted into the running program. One copy counts all iterations, "
        "one is timed at some moments, and one records branch outcomes. The program's results and "
        "output do not change. Unsupported programs (generated code, seccomp, set-user-ID, a "
        "shadow stack) are rejected before any change. x86-64 Linux only.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "LOOP", struct explain_values, loop), .required = true,
         .help = "number of a loop in the last program profile, or a function, an address, or an "
                 "address in a function (f+0x40)"},
        {PARAMETER(WORDS, "PROGRAM", struct explain_values, words), .complete = COMPLETE_FILE,
         .help = "program and its arguments (default: the profiled program); write -- before "
                 "arguments that begin with --"}),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--pid", struct explain_values, pid), .value = "N", .least = 1,
         .most = 4194304, .fallback = "start a program",
         .help = "running process that executes the loop; the process continues afterwards"},
        {PARAMETER(TEXT, "--file", struct explain_values, file), .value = "FILE",
         .fallback = "the program", .complete = COMPLETE_FILE,
         .help = "program or library that contains the loop"},
        {PARAMETER(DURATION, "--seconds", struct explain_values, seconds), .value = "T",
         .least = 0.01, .most = 86400, .fallback = "until the program ends; 5 s with --pid",
         .help = "time limit, after which a program started by this command is killed"},
        {PARAMETER(TEXT, "--output", struct explain_values, output), .value = "FILE",
         .fallback = "a new file in TMPDIR, kept for at least a day; the result shows its name",
         .complete = COMPLETE_FILE, .help = "file to append the program's output to"},
        {PARAMETER(TEXT, "--input", struct explain_values, input), .value = "FILE",
         .fallback = "no input", .complete = COMPLETE_FILE,
         .help = "file for standard input of the program"},
        {PARAMETER(COUNT, "--measure", struct explain_values, measure), .value = "N",
         .initial = "2", .most = EXPLAINED_PATHS,
         .help = "number of the most frequent paths to measure outside the program, with recorded "
                 "branch outcomes"},
        MACHINE_OPTION(explain_values, "this CPU's machine, otherwise the current machine",
                       "machine whose tables are used for predictions")),
    .examples = EXAMPLES("program explain 1", "program explain partition ./sort-it -- words.txt",
                         "program explain 0x4308 --pid 4711 --seconds 10s"),
    .values_size = sizeof(struct explain_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_explain,
};
