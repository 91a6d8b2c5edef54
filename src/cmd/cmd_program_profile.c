/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>

#include "analysis/analysis.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/watch.h"
#include "chart/memory_lines.h"
#include "cmd/command.h"
#include "cmd/memory_curve.h"
#include "cmd/program.h"
#include "cmd/program_output.h"
#include "cmd/task.h"
#include "measure/kernel_passes.h"
#include "profile/profile.h"
#include "simulate/simulate.h"
#include "work/job.h"

#define SAMPLES_LEAST 10 /* minimum number of samples for a report */
#define SAMPLES_FEW 100  /* number of samples below which the report has a warning */
#define MEMORY_MATTERS                                                                             \
    1.1                     /* smallest ratio of the time with data in memory to the time with
                                * data in the first-level cache that is reported */
#define SIMULATED_MOST 2000 /* maximum number of instructions of a simulated loop */
#define ATTACHED_SECONDS 5.0
#define NAME_COLUMNS 40 /* width of a name in text */

struct profile_values {
    struct word_list words;
    const char *output, *input, *method, *machine;
    double seconds, rate;
    size_t pid, measure, top;
};

/* shortest interval between two lists of a running program's samples, in seconds */
#define LIVE_FIRST 0.3
/* smallest ratio of the interval between lists to the CPU time to make a list */
#define LIVE_SHARE 8

struct profiling {
    VEC(char *) argv;              /* arguments, NULL-terminated */
    const char *input;
    struct program_output output;
    struct sampling options;
    struct machine *machine; /* copy of the machine; NULL: no machine fits this CPU */
    size_t measure, top;
    /* whether a script's run was interrupted; the samples until then are evaluated */
    bool interrupted;
    struct sampled sampled;
    struct run_profile *profile;
    /* per loop: reason why it was not measured; NULL: it was measured */
    VEC(char *) unmeasured;
    struct session *session; /* session with live lists; NULL in scripts */
    atomic_bool stop;        /* set once there are enough samples */
    /* copy of the running program's list for the UI thread; NULL: nothing new */
    struct run_profile *_Atomic so_far;
    double next; /* sampling seconds at which the next list is due */
};

/* Returns whether the user cancelled the job. An interrupt only ends sampling; the samples are
 * still evaluated. */
static bool cancelled(void *state)
{
    const struct profiling *w = state;
    return !w->interrupted && job_cancelled(NULL);
}

/* Stores the arguments and the input with which the program can be run again. */
static void name_run(const struct profiling *w, struct run_profile *p)
{
    for (size_t i = 0; i + 1 < w->argv.count; i++)
        vec_push(&p->argv, mem_strdup(w->argv.items[i]));
    p->input = mem_strdup(w->input);
}

/* Returns the CPU time of this thread. Wall-clock time would include waits on a busy host. */
static double own_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Makes a list of the running program's samples, unless there are few samples or the next list is
 * not yet due. */
static void list_so_far(struct profiling *w, double seconds, size_t samples)
{
    struct err ignored;

    if (seconds < w->next || samples < SAMPLES_LEAST)
        return;
    const double begun = own_seconds();
    struct run_profile *p = profile_new(&w->sampled, w->options.rate, 0.002, NULL, NULL, &ignored);
    w->next = seconds + fmax(LIVE_FIRST, LIVE_SHARE * (own_seconds() - begun));
    if (!p)
        return;
    p->user = (double)samples / w->options.rate;
    p->system = NAN;
    p->seconds = seconds;
    p->running = true;
    name_run(w, p);
    profile_free(atomic_exchange(&w->so_far, p));
}

static bool enough_seen(void *state)
{
    struct profiling *w = state;
    w->interrupted = w->interrupted || job_interrupted();
    return w->interrupted || atomic_load(&w->stop);
}

static bool goes_on(void *state, double seconds, size_t samples)
{
    struct profiling *w = state;
    if (w->session)
        list_so_far(w, seconds, samples);
    job_progress(seconds, isinf(w->options.seconds) ? 0 : w->options.seconds,
                 "%zu sample%s in %.1f s", samples, plural(samples), seconds);
    /* After an interrupt the samples so far are evaluated. */
    return job_interrupted() || !cancelled(w);
}

static bool looking(void *state, double share)
{
    struct profiling *w = state;
    job_progress(share, 1, "looking up functions and loops");
    return !cancelled(w);
}

/* Predicts the loop for arrays as large as the program's memory. The result is an upper limit,
 * because the code does not show the size of the loop's arrays. Does nothing if the size of the
 * memory is unknown, or if there is no prediction. */
static void predict_over_memory(const struct profiling *w, struct profile_loop *l)
{
    const double bytes = fmin(fmax(w->profile->memory, MEMORY_CURVE_LEAST), MEMORY_CURVE_MOST);
    struct memory_costs measured;
    struct memory_curve curve = {0};
    struct err ignored = {0};

    if (!(w->profile->memory > 0))
        return;
    const bool kept = memory_lines_recall(w->machine, &measured);
    if (memory_curve_predict(&curve, l->kernel, l->loop, w->machine, kept ? &measured : NULL, bytes,
                             bytes, NULL, 0, &ignored) &&
        curve.known && curve.moves) {
        l->over_memory = fmax(l->predicted, curve.points[0].time.cycles);
        l->level = curve.points[0].level;
        l->costs_measured = kept;
    }
    memory_curve_done(&curve);
}

static void predict(struct profiling *w)
{
    for (size_t i = 0; w->machine && i < w->profile->loops.count && !cancelled(w); i++) {
        struct profile_loop *l = &w->profile->loops.items[i];
        struct simulation sim;
        struct bounds bounds;
        size_t count;

        kernel_insns(l->kernel, l->loop, &count);
        if (count > SIMULATED_MOST || l->kernel->loops[l->loop].dispatch ||
            strcmp(isa_name(l->kernel->isa), w->machine->isa) != 0)
            continue;
        simulate_kernel(l->kernel, l->loop, w->machine, &(struct simulate_options){0}, &sim,
                        &bounds);
        l->bound = bounds.total;
        l->bottleneck = mem_strdup(bound_name(bounds.bottleneck));
        struct analysis *a = analysis_new(l->kernel, l->loop, w->machine);
        l->why = mem_strdup(a->sentence);
        l->by_data = a->irregular || a->not_modelled[UNMODELLED_BRANCHES] ||
                     a->not_modelled[UNMODELLED_MISSES] || a->not_modelled[UNMODELLED_FORWARDS];
        analysis_free(a);
        l->predicted = isnan(sim.cycles) || sim.cycles < bounds.total ? bounds.total : sim.cycles;
        simulation_done(&sim);
        predict_over_memory(w, l);
    }
}

/* Measures the hottest loops in isolation on this CPU. If a loop fails, stores the reason and
 * continues. Returns false with err only if the user cancels. */
static bool measure(struct profiling *w, struct err *err)
{
    struct run_profile *p = w->profile;
    struct calibration calibration;
    size_t most = w->interrupted ? 0 : w->measure < p->loops.count ? w->measure : p->loops.count;
    struct sandbox *sandbox = most ? sandbox_new(-1, err) : NULL;
    bool ok = sandbox && calibrate(sandbox, cancelled, w, &calibration, err);

    if (sandbox)
        sandbox_cancel_by(sandbox, cancelled, w);
    for (size_t i = 0; i < most && !cancelled(w); i++) {
        struct profile_loop *l = &p->loops.items[i];
        struct kernel_measured measured;
        size_t count;
        const struct insn *insns = kernel_insns(l->kernel, l->loop, &count);

        job_progress((double)i, (double)most, "measuring %s outside the program", l->name);
        bool done = ok &&
                    (l->kernel->isa == isa_host() ||
                     err_set(err, ERR_DATA, NULL, "the code is for another instruction set")) &&
                    kernel_run(sandbox, &calibration, insns, count, &measured, err);
        l->measured = done ? measured.cycles : NAN;
        vec_push(&w->unmeasured, done ? NULL : mem_strdup(err->what));
    }
    sandbox_free(sandbox);
    return !cancelled(w) || err_set(err, ERR_INTERRUPTED, NULL, "profiling was cancelled");
}

/* Stores the path of the program's output. Removes an empty output file. */
static void keep_output(struct profiling *w)
{
    if (program_output_any(&w->output))
        w->profile->output = mem_strdup(w->output.path);
    else
        program_output_drop(&w->output);
}

static bool enough(const struct profiling *w, struct err *err)
{
    const struct sampled *s = &w->sampled;
    size_t count = s->samples.count + s->lost;

    if (count >= SAMPLES_LEAST)
        return true;
    if (w->interrupted)
        return err_set(err, ERR_INTERRUPTED, NULL,
                       "profiling was cancelled with too few samples: %zu sample%s in %.1f s",
                       count, plural(count), s->seconds);
    if (!w->options.argv && s->ended)
        return err_set(err, ERR_DATA, "profile the program from its start: program profile PROGRAM",
                       "process %d ended after %.1f s with %zu sample%s", (int)w->options.pid,
                       s->seconds, count, plural(count));
    if (!w->options.argv)
        return err_set(err, ERR_DATA,
                       "profile the process under load, or sample longer with --seconds T",
                       "process %d was mostly idle: %zu sample%s in %.1f s", (int)w->options.pid,
                       count, plural(count), s->seconds);
    if (s->ended && WIFEXITED(s->status) && WEXITSTATUS(s->status))
        return err_set(err, ERR_DATA,
                       w->output.path && !w->output.own ? "see the program's output"
                                                        : "run the program in a shell to see its "
                                                          "messages",
                       "%s exited with status %d after %zu sample%s", s->path,
                       WEXITSTATUS(s->status), count, plural(count));
    if (s->ended && WIFSIGNALED(s->status))
        return err_set(err, ERR_DATA, "run the program in a shell to see its messages",
                       "%s crashed after %zu sample%s: %s", s->path, count, plural(count),
                       strsignal(WTERMSIG(s->status)));
    return err_set(err, ERR_DATA, "use a larger input, or a higher sampling rate: --rate 10000",
                   "%s used too little CPU time: %zu sample%s in %.3f s of CPU time", s->path,
                   count, plural(count), s->user);
}

static bool profile_run(void *state, struct result *result, struct err *err)
{
    struct profiling *w = state;

    w->options.goes_on = goes_on;
    w->options.enough = enough_seen;
    w->options.state = w;
    const bool sampled = sampling_run(&w->options, &w->sampled, err);
    /* Symbol look-up continues after an interrupt of the sampling. */
    const struct watch before = w->interrupted ? watch_begin(NULL, NULL) : watch;
    w->profile = sampled && enough(w, err)
                     ? profile_new(&w->sampled, w->options.rate, 0.002, looking, w, err)
                     : NULL;
    if (w->profile) {
        keep_output(w);
        name_run(w, w->profile);
        w->profile->machine = w->machine ? mem_strdup(w->machine->id) : NULL;
        predict(w);
    }
    const bool ok = w->profile && measure(w, err);
    if (w->interrupted)
        watch_restore(before);
    return ok;
}

/* Adds a name in full and shortened, because C++ names may be wider than a row. */
static void cell_name(struct result_table *t, const char *name)
{
    struct str text = {0};

    profile_name_short(name, NAME_COLUMNS, &text);
    cell_text(t, str_text(&text));
    cell_text(t, name);
    str_done(&text);
}

static void add_functions(struct result *result, const struct run_profile *p, size_t top)
{
    static const struct result_column columns[] = {
        {.key = "samples", .kind = CELL_COUNT},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "off", .title = "±", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "short", .title = "function", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON},
        {.key = "function", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "file", .kind = CELL_TEXT},
        {.key = "path", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT}};
    struct result_table *t = RESULT_TABLE(result, "functions", columns);

    for (size_t i = 0; i < p->functions.count && i < top; i++) {
        const struct profile_function *f = &p->functions.items[i];
        double off, share = profile_share(p, f->samples, &off);
        cell_count(t, (int64_t)f->samples);
        cell_number(t, 100 * share);
        cell_heat(t, share);
        cell_number(t, 100 * off);
        cell_name(t, profile_function_name(f));
        cell_text(t, path_base(f->file));
        cell_text(t, f->file);
    }
    if (p->functions.count > top)
        result_line(result, "functions not shown: %zu; --top N shows more",
                    p->functions.count - top);
}

static void add_loops(struct result *result, const struct run_profile *p, size_t top)
{
    static const struct result_column columns[] = {
        {.key = "number", .title = "N", .kind = CELL_COUNT},
        {.key = "samples", .kind = CELL_COUNT},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "off", .title = "±", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "short", .title = "loop", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON},
        {.key = "loop", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "instructions", .title = "insns", .kind = CELL_COUNT},
        {.key = "measured", .title = "alone", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "predicted", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "over_memory", .title = "over memory", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "bound", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "bottleneck", .title = "by", .kind = CELL_TEXT},
        {.key = "at_bound", .title = "program at bound", .unit = "s", .kind = CELL_NUMBER,
         .decimals = 3},
        {.key = "file", .kind = CELL_TEXT},
        {.key = "path", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT}};
    struct result_table *t = RESULT_TABLE(result, "loops", columns);

    for (size_t i = 0; i < p->loops.count && i < top; i++) {
        const struct profile_loop *l = &p->loops.items[i];
        double off, share = profile_share(p, l->samples, &off), now = profile_loop_now(l);
        cell_count(t, (int64_t)i + 1);
        cell_count(t, (int64_t)l->samples);
        cell_number(t, 100 * share);
        cell_heat(t, share);
        cell_number(t, 100 * off);
        cell_name(t, l->name);
        cell_count(t, (int64_t)l->kernel->loops[l->loop].count);
        cell_number(t, l->measured);
        cell_number(t, l->predicted);
        cell_number(t, l->over_memory);
        cell_number(t, l->bound);
        cell_text(t, l->bottleneck ? l->bottleneck : "-");
        cell_number(t, profile_time_with(p, i, now, l->bound > now ? now : l->bound));
        cell_text(t, path_base(l->file));
        cell_text(t, l->file);
    }
    table_hide_empty(t);
    if (p->loops.count > top)
        result_line(result, "loops not shown: %zu; --top N shows more", p->loops.count - top);
}

/* Reports the number of lost samples, and of samples outside mapped files. The shares include
 * both. */
static void say_lost(struct result *result, const struct run_profile *p)
{
    if (p->lost)
        result_line(result,
                    "%zu of the samples (%.1f %%) were lost or outside all mapped files: no "
                    "function includes them",
                    p->lost, 100 * profile_share(p, p->lost, NULL));
}

static void say_how(struct result *result, const struct profiling *w)
{
    const struct run_profile *p = w->profile;
    const struct sampled *s = &w->sampled;

    result_line(result, "%s: %.3f s of CPU time%s, %zu sample%s by %s", p->program, p->user,
                isnan(p->system) ? "" : " in user mode", p->samples, plural(p->samples),
                p->method == SAMPLING_CLOCK ? "the system's clock" : "interrupting the program");
    if (!isnan(p->system) && p->system >= 0.0005)
        result_line(result,
                    "system time: a further %.3f s; the total of %.3f s is compared with the time "
                    "of the program at the bound of a loop",
                    p->system, p->user + p->system);
    if (s->refused.code)
        result_line(result, "%s%s%s", s->refused.what, *s->refused.todo ? "; " : "",
                    s->refused.todo);
    if (p->processes || p->threads)
        result_line(result, "includes %zu process%s and %zu thread%s started by the program",
                    p->processes, p->processes == 1 ? "" : "es", p->threads - p->processes,
                    plural(p->threads - p->processes));
    if (w->options.argv && !s->ended)
        result_line(result, "%s: the program was stopped after %.1f s",
                    w->interrupted || atomic_load(&w->stop) ? "stopped" : "time limit reached",
                    s->seconds);
    else if (w->options.argv && WIFSIGNALED(s->status))
        result_line(result, "the program crashed: %s", strsignal(WTERMSIG(s->status)));
    else if (w->options.argv && WEXITSTATUS(s->status))
        result_line(result, "the program exited with status %d", WEXITSTATUS(s->status));
    if (p->output)
        result_line(result, "output of the program: %s", p->output);
    say_lost(result, p);
    if (p->samples < SAMPLES_FEW)
        result_line(result,
                    "only %zu sample%s: use a larger input, or a higher sampling rate with --rate",
                    p->samples, plural(p->samples));
}

/* Reports the time for arrays as large as the program's memory. Reports nothing if it is at most
 * MEMORY_MATTERS times the other time. The code does not show the cache level of the data. */
static void say_memory(struct result *result, const struct run_profile *p,
                       const struct profile_loop *l)
{
    struct str size = {0}, value = {0};

    if (!(l->over_memory > MEMORY_MATTERS * profile_loop_now(l)))
        return;
    memory_size_print(p->memory, &size);
    profile_memory_range(l, &value);
    result_line(
        result,
        "  assumed: data in the first-level cache. The program had %s of memory; with arrays of "
        "that size (%s) %.2f cycles are predicted. %s",
        str_text(&size), l->level, l->over_memory, str_text(&value));
    str_done(&value);
    str_done(&size);
}

static void say_hottest(struct result *result, const struct profiling *w)
{
    const struct run_profile *p = w->profile;
    const struct profile_loop *l = p->loops.items;
    double off, all = p->user + (isnan(p->system) ? 0 : p->system), share, now;

    if (!p->loops.count) {
        result_line(result, "no hot loop: the time is spent in recursive or repeated calls, or in "
                            "undetected loops");
        return;
    }
    const struct kernel_loop *code = &l->kernel->loops[l->loop];
    share = profile_share(p, l->samples, &off);
    now = profile_loop_now(l);
    result_line(result, "\nhottest loop: %s, %.1f %% (± %.1f) of the run", l->name, 100 * share,
                100 * off);
    if (w->unmeasured.count && w->unmeasured.items[0])
        result_line(result, "  not measured outside the program: %s", w->unmeasured.items[0]);
    if (code->dispatch)
        result_line(result, "  computed gotos: each iteration executes one of the loop's parts, so "
                            "no cycles are predicted");
    if (isnan(now) || isnan(l->bound))
        return;
    if (!isnan(l->measured))
        result_line(result,
                    "  %.2f cycles per iteration measured outside the program, with data in the "
                    "first-level cache; %.2f predicted for %s",
                    l->measured, l->predicted, p->machine);
    else
        result_line(result,
                    "  %.2f cycles per iteration predicted for %s (%s executed); not measured",
                    l->predicted, p->machine,
                    code->head == code->first ? "all of its instructions"
                                              : "the longest path of each iteration");
    say_memory(result, p, l);
    if (isnan(l->measured) && now <= 1.02 * l->bound)
        result_line(result, "  the prediction equals the loop's bound (%s)", l->bottleneck);
    else if (now > 1.02 * l->bound && l->by_data)
        result_line(result,
                    "  the loop's bound is %.2f cycles (%s). The gain is unknown: the time depends "
                    "on data that %s lacks; program explain 1 measures the loop in the program",
                    l->bound, l->bottleneck,
                    isnan(l->measured) ? "the prediction" : "the measurement outside the program");
    else if (now > 1.02 * l->bound)
        result_line(
            result,
            "  with the loop at its bound of %.2f cycles (%s)%s the program would take %.3f s "
            "instead of %.3f s",
            l->bound, l->bottleneck, isnan(l->measured) ? " instead of the prediction" : "",
            profile_time_with(p, 0, now, l->bound), all);
    else
        result_line(result, "  outside the program the loop is at its bound of %.2f cycles (%s)",
                    l->bound, l->bottleneck);
    result_line(result, "  %s", l->why);
    result_line(result, "  program open 1 shows the loop in the place LOOP");
}

static void say_all(struct result *result, const struct profiling *w)
{
    say_how(result, w);
    result_text(result, "program", w->profile->program);
    result_number(result, "memory_bytes", w->profile->memory > 0 ? w->profile->memory : NAN);
    result_number(result, "user", w->profile->user);
    result_number(result, "system", w->profile->system);
    result_number(result, "wall", w->profile->seconds);
    result_count(result, "samples", (int64_t)w->profile->samples);
    result_count(result, "lost", (int64_t)w->profile->lost);
    result_text(result, "method", w->profile->method == SAMPLING_CLOCK ? "clock" : "interrupt");
    result_text(result, "output", w->profile->output);
    result_text(result, "machine", w->profile->machine);
    result_line(result, "%s", "");
    add_functions(result, w->profile, w->top);
    result_line(result, "\nloops, without their inner loops");
    add_loops(result, w->profile, w->top);
    say_hottest(result, w);
}

/* Adds a summary in one line, and a line about lost samples. In the workbench the program view
 * shows the remaining results. */
static void say_short(struct result *result, const struct run_profile *p)
{
    double off, share = p->loops.count ? profile_share(p, p->loops.items[0].samples, &off) : 0;

    if (p->loops.count)
        result_line(result, "%zu sample%s; hottest loop %s, %.1f %% (± %.1f)%s%s", p->samples,
                    plural(p->samples), p->loops.items[0].name, 100 * share, 100 * off,
                    p->output ? "; output of the program: " : "", p->output ? p->output : "");
    else
        result_line(result, "%zu sample%s; no hot loop%s%s", p->samples, plural(p->samples),
                    p->output ? "; output of the program: " : "", p->output ? p->output : "");
    say_lost(result, p);
}

static void forget(const struct profiling *w)
{
    if (w->session && w->session->profiling == w)
        w->session->profiling = NULL;
}

void profile_publish(struct session *s)
{
    struct profiling *w = s->profiling;

    struct run_profile *so_far = w ? atomic_exchange(&w->so_far, NULL) : NULL;
    if (!so_far)
        return;
    profile_free(s->document.profile);
    s->document.profile = so_far;
}

/* Publishes the samples until now, and marks their list as cut off. */
static void profile_failed(struct session *s, void *state, struct result *result,
                           const struct err *err)
{
    profile_publish(s);
    forget(state);
    if (s->document.profile && s->document.profile->running) {
        s->document.profile->running = false;
        s->document.profile->cut_off = true;
    }
    /* Removes the file at once, because the state of an ended job remains in memory for some
     * time. */
    program_output_drop(&((struct profiling *)state)->output);
}

static bool profile_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct profiling *w = state;
    struct document *d = &s->document;

    forget(w);
    w->output.own = false;
    if (s->interactive)
        say_short(result, w->profile);
    else
        say_all(result, w);
    profile_free(d->profile);
    d->profile = w->profile;
    w->profile = NULL;
    return true;
}

static void profiling_free(void *state)
{
    struct profiling *w = state;
    forget(w);
    profile_free(w->so_far);
    vec_free_texts(&w->argv);
    vec_free_texts(&w->unmeasured);
    program_output_done(&w->output);
    machine_free(w->machine);
    sampled_done(&w->sampled);
    profile_free(w->profile);
    free(w);
}

static bool prepare_profile(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {"runs the program", profile_run, profile_finish,
                                        profiling_free, .failed = profile_failed,
                                        .listed = TASK_LISTED, .measures = true, .keeps = true};
    const struct profile_values *v = values;
    bool attach = v->pid != NOT_GIVEN;

    if (attach == (v->words.count > 0))
        return err_set(err, ERR_USAGE,
                       "use program profile ./PROGRAM -- ARGUMENTS, or program profile --pid N",
                       attach ? "both a program and --pid were given" : "no program given");
    if (attach && (v->output || v->input))
        return err_set(err, ERR_USAGE,
                       "omit the option: a running process already has its input and output",
                       "--pid cannot be combined with %s", v->output ? "--output" : "--input");
    struct profiling *w = mem_zero(1, sizeof *w);
    for (size_t i = 0; i < v->words.count; i++)
        vec_push(&w->argv, mem_strdup(v->words.items[i]));
    vec_push(&w->argv, NULL);
    w->input = v->input;
    w->measure = v->measure;
    w->top = v->top;
    bool ok = program_host_machine(s, v->machine, &w->machine, err) &&
              (attach || program_output_choose(&w->output, v->output, err));
    w->options = (struct sampling){.argv = attach ? NULL : (const char *const *)w->argv.items,
                                   .pid = attach ? (pid_t)v->pid : 0,
                                   .output = w->output.path,
                                   .input = w->input,
                                   .seconds = !isnan(v->seconds) ? v->seconds
                                              : attach           ? ATTACHED_SECONDS
                                                                 : INFINITY,
                                   .rate = v->rate,
                                   .method = v->method[0] == 'c'   ? SAMPLING_CLOCK
                                             : v->method[0] == 'i' ? SAMPLING_INTERRUPT
                                                                   : SAMPLING_ANY};
    if (ok && s->interactive && s->views) {
        w->session = s;
        s->profiling = w;
        session_view(s, "view", "program", s->result, NULL);
    }
    return task_give(task, &ops, w) && ok;
}

const struct command command_program_profile = {
    .name = "program profile",
    .meant = "hot hotspots sample",
    .help = "run a program and show its hottest functions and loops",
    .description = "Needs no source, performance counters or privileges. The program is sampled "
                   "about 1,000 times per second of its CPU time, in all its threads, children and "
                   "libraries. Each share has its 95 % confidence interval. Loops are found in the "
                   "machine code, even of stripped programs. The hottest loop is measured outside "
                   "the program, with its data in the first-level cache; in the program it may "
                   "take longer. program open N shows a loop in the place LOOP.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "PROGRAM", struct profile_values, words), .complete = COMPLETE_FILE,
         .help = "program or script, found as by the shell, then its arguments; write -- before "
                 "arguments that begin with --"}),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--pid", struct profile_values, pid), .value = "N", .least = 1,
         .most = 4194304, .fallback = "start a program",
         .help = "profile this running process instead of starting a program"},
        {PARAMETER(DURATION, "--seconds", struct profile_values, seconds), .value = "T",
         .least = 0.01, .most = 86400, .fallback = "until the program ends; 5 s with --pid",
         .help = "time limit for profiling, after which a program started by this command is "
                 "killed"},
        {PARAMETER(NUMBER, "--rate", struct profile_values, rate), .value = "N", .least = 1,
         .most = 20000, .initial = "1000", .help = "samples per second of CPU time"},
        {PARAMETER(CHOICE, "--method", struct profile_values, method),
         .choices = "any|clock|interrupt", .initial = "any",
         .help = "sampling method: clock (perf_event_open), interrupt (ptrace), or any: the clock "
                 "if allowed, otherwise interrupts"},
        {PARAMETER(TEXT, "--output", struct profile_values, output), .value = "FILE",
         .fallback = "a new file in TMPDIR, kept for at least a day; the result shows its name",
         .complete = COMPLETE_FILE, .help = "file to append the program's output to"},
        {PARAMETER(TEXT, "--input", struct profile_values, input), .value = "FILE",
         .fallback = "no input", .complete = COMPLETE_FILE,
         .help = "file for standard input of the program"},
        MACHINE_OPTION(profile_values, "this CPU's machine, otherwise the current machine",
                       "machine whose tables are used for bounds and predictions"),
        {PARAMETER(COUNT, "--measure", struct profile_values, measure), .value = "N", .least = 0,
         .most = 100, .initial = "1",
         .help = "number of loops to measure outside the program, hottest first"},
        {PARAMETER(COUNT, "--top", struct profile_values, top), .value = "N", .least = 1,
         .most = 100000, .initial = "20", .help = "number of functions and loops to show"}),
    .examples = EXAMPLES("program profile ./simulation -- --steps 100 input.dat",
                         "program profile --pid 4711 --seconds 10s",
                         "program profile sort --input words.txt --rate 5000"),
    .values_size = sizeof(struct profile_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_profile,
};

static bool run_program_stop(struct session *s, const void *values, struct result *result,
                             struct err *err)
{
    if (!s->profiling)
        return err_set(err, ERR_USAGE, "program profile starts a profile",
                       "no program is being profiled");
    atomic_store(&s->profiling->stop, true);
    result_note(result, "the profile will contain the samples so far");
    return true;
}

const struct command command_program_stop = {
    .name = "program stop",
    .help = "stop the running profile and keep its samples",
    .description = "A program started by the profile is killed; an attached process continues. The "
                   "hottest loops are then predicted and measured as after a complete run.",
    .examples = EXAMPLES("program stop"),
    .run = run_program_stop,
};
