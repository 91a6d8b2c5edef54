/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hot loop within its running program: iterations, cycles, paths and branches there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/kernel_object.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/explained.h"
#include "cmd/program_output.h"
#include "cmd/task.h"
#include "insitu/insitu.h"
#include "insitu/lines.h"
#include "insitu/mix.h"
#include "insitu/predictor.h"
#include "insitu/split.h"
#include "measure/kernel_passes.h"
#include "model/facts.h"
#include "profile/launch.h"
#include "profile/profile.h"
#include "work/job.h"

#define ATTACHED_SECONDS 5.0
#define PATHS_SHOWN 8u
#define LOADS_SHOWN 8u
#define JUMPS_BACK 5.0     /* cycles, of a loop whose cases are executed in the original */
#define PATH_MOST 500u     /* instructions of one that is kept and measured */
#define SAMPLE_RATE 1000.0 /* per second of CPU time */
#define LINE_BYTES 64u     /* of a cache */
#define SPREAD_LOW 0.1     /* quantiles of the timed blocks */
#define SPREAD_HIGH 0.75

struct explain_values {
    const char *loop, *file, *output, *input, *machine;
    struct word_list words;
    double seconds;
    size_t pid, measure;
};

/* The job. */
struct explaining {
    struct job *job;
    VEC(char *) argv;              /* NULL at the end; of a process only that */
    char *place, *file, *input;   /* place: symbol or address; NULL: the kernel is there */
    struct program_output output;
    char *name;                    /* of the loop */
    const struct kernel *kernel;   /* held */
    size_t loop;
    struct machine *machine;       /* a copy; NULL: none fits */
    struct insitu_options options;
    struct insitu insitu;
    struct run_profile *sampled;   /* the program was sampled instead; NULL: it was watched */
    struct err refused;            /* why */
    struct paths paths;
    struct predicted_branches branches;
    struct loop_lines lines;
    struct split split;
    const char *unreplayed;      /* why replays say nothing; static; NULL: they do */
    double predicted;            /* for the mix of paths; NaN: not */
    size_t measure;              /* paths that are measured alone, at most */
    struct err unmeasured;       /* why one was not */
    struct explained_loop *kept; /* what other commands may use; NULL: nothing yet */
};

static bool goes_on(void *state, double seconds, uint64_t iterations)
{
    struct explaining *w = state;
    job_progress(w->job, seconds, isinf(w->options.seconds) ? 0 : w->options.seconds,
                 "%" PRIu64 " iterations in %.1f s", iterations, seconds);
    return !job_cancelled(w->job);
}

/* The loop at the place that the user named. */
static bool find_loop(struct explaining *w, struct err *err)
{
    struct kernel_options options = {.symbol = w->place};
    char path[64], resolved[4096];

    if (w->kernel)
        return true;
    if (!w->file && w->options.pid) {
        snprintf(path, sizeof path, "/proc/%d/exe", (int)w->options.pid);
        ssize_t n = readlink(path, resolved, sizeof resolved - 1);
        if (n <= 0)
            return err_set(err, ERR_MISSING, "ps lists processes; run as its user, or as root",
                           "cannot find the program of process %d", (int)w->options.pid);
        resolved[n] = '\0';
        w->file = mem_strdup(resolved);
    } else if (!w->file && !(w->file = launch_find(w->argv.items[0])))
        return err_set(err, ERR_MISSING, "name it with its directory, as in ./NAME",
                       "no such program: %s", w->argv.items[0]);
    char *real = realpath(w->file, NULL);
    if (real) {
        free(w->file);
        w->file = real;
    }
    struct kernel *k = kernel_from_object(w->file, &options, err);
    w->kernel = k;
    w->loop = 0;
    if (k)
        w->name = mem_strdup(*k->loops[0].label ? k->loops[0].label : w->place);
    return k != NULL;
}

/* Removes the file of the program's output if it is empty. */
static void keep_output(struct explaining *w)
{
    if (w->output.own && !program_output_any(&w->output))
        program_output_done(&w->output);
    w->output.own = false;
}

static bool enough(const struct explaining *w, struct err *err)
{
    const struct insitu *x = &w->insitu;

    if (placed_iterations(&x->placed))
        return true;
    if (x->cut)
        return err_set(err, ERR_DATA, NULL, "the loop was not executed: %s", x->cut);
    return err_set(err, ERR_DATA, "program profile lists its hot loops",
                   "the loop was not executed in %.1f s", x->seconds);
}

/* Difference from the prediction, and its cause. */
static void split(struct explaining *w)
{
    const struct insitu *x = &w->insitu;
    struct split_facts f = {.predicted = w->predicted,
                            .missed = w->branches.missed,
                            .fresh = w->lines.fresh,
                            .streamed = w->lines.streamed,
                            .trip = insitu_trip(x),
                            .calls = x->region.calls > 0,
                            .extra =
                                x->region.jumps_indirect && !insitu_original(x) ? JUMPS_BACK : 0};

    f.low = insitu_cycles(x, SPREAD_LOW, &f.alone);
    f.high = insitu_cycles(x, SPREAD_HIGH, &f.alone);
    f.live = insitu_cycles(x, INSITU_TYPICAL, &f.alone);
    struct split_replays replays;
    bool leaves;
    if (replay_sum(&x->replays, &replays, &leaves, &w->unreplayed)) {
        bool original = x->region.jumps_indirect && insitu_original(x);
        replays.live = leaves || original ? insitu_cycles_whole(x) : f.live;
        f.besides = fmax(replays.live - f.live, 0);
        f.replays = &replays;
    }
    w->split = split_of(&f);
}

static bool goes_on_sampling(void *state, double seconds, size_t samples)
{
    struct explaining *w = state;
    job_progress(w->job, seconds, isinf(w->options.seconds) ? 0 : w->options.seconds,
                 "%zu samples in %.1f s", samples, seconds);
    return !job_cancelled(w->job);
}

/* Where the system lets nobody trace the process, its sampling clock says at least how hot the loop
 * is. False when that is refused as well. */
static bool sample_instead(struct explaining *w)
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
    struct err ignored;

    if (sampling_run(&sampling, &sampled, &ignored) && sampled.samples.count)
        w->sampled = profile_new(&sampled, SAMPLE_RATE, 0, NULL, NULL, &ignored);
    sampled_done(&sampled);
    return w->sampled != NULL;
}

static bool cancelled(void *state)
{
    return job_cancelled(((struct explaining *)state)->job);
}

/* The commonest paths alone on this CPU, their branches as recorded and their data in the first
 * level. */
static void measure_paths(struct explaining *w)
{
    struct calibration calibration;
    size_t most = w->measure < w->kept->paths.count ? w->measure : w->kept->paths.count;
    struct sandbox *sandbox = most ? sandbox_new(-1, &w->unmeasured) : NULL;

    if (sandbox && calibrate(sandbox, cancelled, w, &calibration, &w->unmeasured)) {
        sandbox_cancel_by(sandbox, cancelled, w);
        for (size_t i = 0; i < most && !cancelled(w); i++) {
            struct explained_path *p = &w->kept->paths.items[i];
            struct kernel_measured measured;
            job_progress(w->job, (double)i, (double)most, "measuring paths alone");
            if (!p->insns.count)
                err_set(&w->unmeasured, ERR_LIMIT, NULL,
                        "a path of %zu instructions; at most %u are measured", p->executed,
                        PATH_MOST);
            else if (kernel_run(sandbox, &calibration, p->insns.items, p->insns.count, &measured,
                                &w->unmeasured))
                p->alone = measured.cycles;
        }
    }
    sandbox_free(sandbox);
}

/* Keeps the result for other commands. */
static void keep(struct explaining *w)
{
    static const char *const causes[] = {[SPLIT_BRANCH] = "mainly mispredicted branches",
                                         [SPLIT_CACHE] = "mainly waits for caches",
                                         [SPLIT_REST] = "neither branches nor caches",
                                         [SPLIT_NONE] = NULL,
                                         [SPLIT_REFUSED] = NULL};
    const struct insitu *x = &w->insitu;
    struct explained_loop *k = mem_zero(1, sizeof *k);
    bool alone;

    *k = (struct explained_loop){.kernel = kernel_hold(w->kernel),
                                 .loop = w->loop,
                                 .cycles = insitu_cycles(x, INSITU_TYPICAL, &alone),
                                 .low = insitu_cycles(x, SPREAD_LOW, &alone),
                                 .high = insitu_cycles(x, SPREAD_HIGH, &alone),
                                 .predicted = w->predicted,
                                 .cause = causes[w->split.cause],
                                 .iterations = w->paths.iterations};
    for (size_t i = 0; i < w->paths.list.count && i < PATHS_SHOWN; i++) {
        const struct path *path = &w->paths.list.items[i];
        struct explained_path p = {
            .share = (double)path->iterations / (double)w->paths.iterations,
            .predicted = w->machine ? mix_predict_path(&x->region, path, w->machine) : NAN,
            .alone = NAN,
            .leaves = path->leaves,
            .executed = path->insns.count};
        if (path->insns.count <= PATH_MOST) {
            vec_reserve(&p.insns, path->insns.count);
            p.insns.count = mix_append(&x->region, path, p.insns.items, 0, path->insns.count);
        }
        vec_push(&k->paths, p);
    }
    w->kept = k;
}

static bool explain_run(void *state, struct result *result, struct err *err)
{
    struct explaining *w = state;

    (void)result;   /* publish fills it */
    w->job = job_current();
    w->options.goes_on = goes_on;
    w->options.state = w;
    if (!find_loop(w, err))
        return false;
    w->options.kernel = w->kernel;
    w->options.loop = w->loop;
    w->options.file = w->file;
    bool ok = insitu_run(&w->options, &w->insitu, err);
    if (!ok && w->insitu.refused) {
        w->refused = *err;
        if (sample_instead(w)) {
            err_clear(err);
            keep_output(w);
            return true;
        }
        *err = w->refused;
    }
    if (job_cancelled(w->job))
        ok = err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    ok = ok && enough(w, err);
    if (!ok)
        return false;
    keep_output(w);
    paths_find(&w->insitu.placed, &w->paths);
    w->predicted = w->machine && strcmp(isa_name(w->kernel->isa), w->machine->isa) == 0
                       ? mix_predict(&w->insitu.region, &w->paths, w->machine)
                       : NAN;
    predictor_run(&w->insitu.placed, &w->branches);
    lines_find(&w->insitu.placed, LINE_BYTES, &w->lines);
    split(w);
    keep(w);
    measure_paths(w);
    return !job_cancelled(w->job) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
}

static void add_paths(struct result *result, const struct explaining *w)
{
    static const struct result_column columns[] = {
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "predicted", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "alone", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "leaves", .title = "leaves the loop", .kind = CELL_SWITCH},
        {.key = "calls", .kind = CELL_SWITCH}};
    const struct paths *p = &w->paths;
    struct result_table *t;

    if (!p->list.count)
        return;
    result_line(result, "\npaths of %zu recorded iterations", p->iterations);
    t = result_table(result, "paths", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->list.count && i < PATHS_SHOWN; i++) {
        const struct path *path = &p->list.items[i];
        cell_number(t, 100 * (double)path->iterations / (double)p->iterations);
        cell_count(t, (int64_t)path->insns.count);
        cell_number(t, w->kept->paths.items[i].predicted);
        cell_number(t, w->kept->paths.items[i].alone);
        cell_switch(t, path->leaves);
        cell_switch(t, path->away);
    }
    if (*w->unmeasured.what)
        result_line(result, "not measured alone: %s", w->unmeasured.what);
    if (p->list.count > PATHS_SHOWN)
        result_line(result, "and %zu rarer paths", p->list.count - PATHS_SHOWN);
}

/* The part of a term that has @share of its causes; NaN where the term may be nothing. */
static double part_of(const struct split_term *term, double share)
{
    return term->cycles > term->off ? term->cycles * share : NAN;
}

/* The simulated predictor's result for the branch at @at; NULL: none. */
static const struct predicted_branch *predicted_at(const struct explaining *w, uint32_t at)
{
    for (size_t i = 0; i < w->branches.list.count; i++)
        if (w->branches.list.items[i].at == at)
            return &w->branches.list.items[i];
    return NULL;
}

static void add_branches(struct result *result, const struct explaining *w)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT},
        {.key = "branch", .kind = CELL_TEXT},
        {.key = "executed", .title = "per iteration", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "taken", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "targets", .kind = CELL_COUNT},
        {.key = "mispredictions",
         .title = "mispredicted",
         .unit = "%",
         .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_NUMBER, .decimals = 2}};
    const struct paths *p = &w->paths;

    if (!p->branches.count)
        return;
    result_line(result, "%s", "\nbranches");
    struct result_table *t =
        result_table(result, "branches", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->branches.count; i++) {
        const struct path_branch *b = &p->branches.items[i];
        const struct region_insn *in = &w->insitu.region.list.items[b->at];
        char address[PLACE_TEXT + 2];
        cell_text(t, insn_address_text(in->insn, address));
        cell_text(t, insn_shown(in->insn));
        cell_number(t, (double)b->executed / (double)p->iterations);
        cell_number(t, 100 * (double)b->taken / (double)b->executed);
        if (in->indirect)
            cell_count(t, (int64_t)b->targets.count);
        else
            cell_missing(t);
        const struct predicted_branch *predicted = predicted_at(w, b->at);
        cell_number(t, predicted ? 100 * (double)predicted->missed / (double)predicted->executed
                                 : NAN);
        cell_number(t, predicted && w->branches.missed > 0
                           ? part_of(&w->split.branch, (double)predicted->missed /
                                                           (double)w->branches.iterations /
                                                           w->branches.missed)
                           : NAN);
    }
    result_line(result, "%s",
                "mispredicted: in a simulated predictor, whose counts are near those of this CPU, "
                "not equal; cycles: by these counts, of those that replays gave all branches");
}

static void add_loads(struct result *result, const struct explaining *w)
{
    static const struct result_column columns[] = {
        {.key = "address", .kind = CELL_TEXT},
        {.key = "access", .title = "load", .kind = CELL_TEXT},
        {.key = "fresh", .title = "new lines", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "streamed", .title = "of them in order", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "cycles", .title = "cycles per iteration", .kind = CELL_NUMBER, .decimals = 2}};
    const struct loop_lines *l = &w->lines;

    if (!l->list.count || isnan(l->fresh))
        return;
    result_line(result, "%s",
                "\nloads, per iteration: cache lines that were not touched before in the "
                "recording; cycles: by these, of those that replays gave caches and TLB");
    struct result_table *t =
        result_table(result, "loads", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < l->list.count && i < LOADS_SHOWN; i++) {
        const struct load_lines *line = &l->list.items[i];
        const struct insn *in = w->insitu.region.list.items[line->at].insn;
        char address[PLACE_TEXT + 2];
        cell_text(t, insn_address_text(in, address));
        cell_text(t, insn_shown(in));
        cell_number(t, (double)(line->fresh + line->streamed) / (double)l->iterations);
        cell_number(t, (double)line->streamed / (double)l->iterations);
        cell_number(t, l->fresh + l->streamed > 0
                           ? part_of(&w->split.cache, (double)(line->fresh + line->streamed) /
                                                          (double)l->iterations /
                                                          (l->fresh + l->streamed))
                           : NAN);
    }
    if (l->list.count > LOADS_SHOWN)
        result_line(result, "and %zu more loads", l->list.count - LOADS_SHOWN);
}

/* How the count relates to the whole run. */
static void say_count(struct result *result, const struct explaining *w)
{
    const struct insitu *x = &w->insitu;
    uint64_t n = placed_iterations(&x->placed);

    if (x->complete)
        result_line(result, "%s: %" PRIu64 " iterations in the whole run of %.2f s", w->name, n,
                    x->seconds);
    else
        result_line(result, "%s: %" PRIu64 " iterations in %.2f s", w->name, n, x->seconds);
    if (x->late > 0)
        result_line(result,
                    "its file was mapped within the last 0.01 s before the first count, %.2f s "
                    "after the start",
                    x->late);
    if (x->cut)
        result_line(result, "counting ended early: %s", x->cut);
    if (x->killed)
        result_line(result,
                    "the program was killed: the last iterations before that are not in the count");
}

static void say_cycles(struct result *result, const struct explaining *w)
{
    const struct insitu *x = &w->insitu;
    bool alone;
    double cycles = insitu_cycles(x, INSITU_TYPICAL, &alone), trip = insitu_trip(x);

    if (isnan(cycles))
        result_line(result,
                    "cycles per iteration: not measured, as too few iterations ran while it was "
                    "timed (%zu blocks)",
                    x->placed.timed.count);
    else
        result_line(
            result,
            "%.2f cycles per iteration in the program (%.2f to %.2f in most of %zu timed blocks)",
            cycles, insitu_cycles(x, SPREAD_LOW, &alone), insitu_cycles(x, SPREAD_HIGH, &alone),
            x->placed.timed.count);
    if (!isnan(cycles) && isfinite(trip) && alone)
        result_line(result,
                    "  without the code between its visits: control leaves it after %.*f "
                    "iterations, for %.0f cycles",
                    trip < 100 ? 1 : 0, trip, insitu_between(x));
    else if (!isnan(cycles) && isfinite(trip))
        result_line(result,
                    "  with the code between its visits, which are too short to be timed one by "
                    "one: control leaves it after %.1f iterations",
                    trip);
    if (x->region.calls)
        result_line(result, "  %s the functions that it calls", alone ? "without" : "with");
    if (x->region.jumps_indirect && insitu_original(x))
        result_line(result, "%s",
                    "  timed in copies of the process, where the loop's original code runs");
    else if (x->region.jumps_indirect)
        result_line(result,
                    "  up to %.0f of them return from its cases, timed in place, to the timed copy",
                    JUMPS_BACK);
    if (!isnan(w->predicted))
        result_line(result, "%.2f predicted for the executed mix of paths on %s", w->predicted,
                    w->machine->id);
}

/* Values of hardware counters, or the reason why there are none. */
static void say_counted(struct result *result, const struct explaining *w)
{
    static const struct {
        const char *key, *name;
    } kinds[] = {[COUNTER_CYCLES] = {"counted_cycles", "cycles"},
                 [COUNTER_BRANCH_MISSES] = {"counted_branch_misses", "mispredicted branches"},
                 [COUNTER_CACHE_MISSES] = {"counted_cache_misses", "cache misses"}};
    const struct hardware_counts *c = &w->insitu.counted;
    double n = (double)placed_iterations(&w->insitu.placed);
    struct str text = {0};

    for (int i = 0; i < COUNTER_KINDS; i++) {
        result_number(result, kinds[i].key, c->value[i] / n);
        if (!isnan(c->value[i]))
            str_addf(&text, "%s%.3f %s", text.length ? ", " : "", c->value[i] / n, kinds[i].name);
    }
    if (text.length)
        result_line(result,
                    "hardware counters, of the whole program, per iteration of the loop: %s",
                    str_text(&text));
    if (c->why)
        result_line(result, "%shardware counters: %s", text.length ? "not all " : "no ", c->why);
    str_done(&text);
}

static void say_branch(struct result *result, const struct explaining *w, const char *more)
{
    const struct predicted_branch *b = w->branches.list.items;

    if (!w->branches.list.count || !b->missed) {
        result_line(result,
                    "%s: mispredicted branches, although a simulated predictor predicts them",
                    more);
        return;
    }
    const struct region_insn *in = &w->insitu.region.list.items[b->at];
    char address[PLACE_TEXT + 2];
    result_line(result,
                "%s: mispredicted branches, mainly %s at %s, mispredicted %.0f %% of the time in "
                "simulation",
                more, insn_shown(in->insn), insn_address_text(in->insn, address),
                100 * (double)b->missed / (double)b->executed);
    result_line(result, "%s",
                in->indirect ? "  fewer targets in one jump help: a jump of its own at the end of "
                               "each case, or a table of data instead of code"
                             : "  a conditional move or arithmetic instead of the branch, or "
                               "sorted data, would save them");
}

static void say_cache(struct result *result, const struct explaining *w, const char *more)
{
    const struct load_lines *l = w->lines.list.items;

    if (!w->lines.list.count) {
        result_line(result, "%s: waits for caches", more);
        return;
    }
    const struct insn *in = w->insitu.region.list.items[l->at].insn;
    char address[PLACE_TEXT + 2];

    result_line(result, "%s: waits for caches, mainly of %s at %s, %.2f new lines per iteration",
                more, insn_shown(in), insn_address_text(in, address),
                (double)(l->fresh + l->streamed) / (double)w->lines.iterations);
    result_line(result, "%s",
                "  smaller or denser data, an order that reuses lines, or a prefetch some "
                "iterations ahead would save them");
}

/* Cost of a new line, next to that of the machine's levels alone. */
static void say_levels(struct result *result, const struct explaining *w)
{
    static const struct {
        const char *name, *fact;
    } levels[] = {{"L2", "l2_latency"}, {"L3", "l3_latency"}, {"memory", "memory_latency"}};
    double lines = w->lines.fresh + w->lines.streamed, each = w->split.cache.cycles / lines;
    const char *from = NULL;
    struct str known = {0};

    if (!w->machine || !(lines > 0) || !(w->split.cache.cycles > w->split.cache.off))
        return;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double cycles = fact_number(w->machine, levels[i].fact);
        if (i == 2)
            cycles *= fact_number(w->machine, "clock"); /* ns, GHz */
        if (!(cycles > 0))
            continue;
        str_addf(&known, "%s%.0f from %s", known.length ? ", " : "", cycles, levels[i].name);
        if (!from && each <= cycles)
            from = levels[i].name;
    }
    if (known.length)
        result_line(result, "  %.0f cycles for each new line; a load alone takes %s on %s: %s%s",
                    each, str_text(&known), w->machine->id,
                    from ? "they come from " : "more than any level, so that pages are missed too",
                    !from                         ? ""
                    : strcmp(from, "memory") == 0 ? "memory"
                    : strcmp(from, "L3") == 0     ? "L3 or beyond"
                                                  : "L2 or beyond");
    result_number(result, "cycles_per_line", each);
    str_done(&known);
}

static void say_cause(struct result *result, const struct explaining *w, const char *more)
{
    const struct split *s = &w->split;

    switch (s->cause) {
    case SPLIT_NONE:
        result_line(result, "%s",
                    "the measured time equals the prediction: only fewer or cheaper instructions "
                    "make it faster");
        break;
    case SPLIT_BRANCH: say_branch(result, w, more); break;
    case SPLIT_CACHE: say_cache(result, w, more); break;
    case SPLIT_REST:
        result_line(result,
                    "%s: neither mispredicted branches nor new lines of caches explain that", more);
        break;
    case SPLIT_REFUSED:
        if (isnan(s->missing))
            result_line(result, "the time cannot be attributed: %s", s->why);
        else
            result_line(result, "%s; this cannot be split: %s", more, s->why);
        break;
    }
}

/* The terms, where replays gave them. */
static void say_terms(struct result *result, const struct explaining *w)
{
    const struct split *s = &w->split;

    if (isnan(s->branch.cycles)) {
        if (s->cause != SPLIT_NONE && w->unreplayed)
            result_line(result, "  its iterations could not be replayed: %s", w->unreplayed);
        return;
    }
    result_line(result,
                "  %.1f (± %.1f) with mispredicted branches, %.1f (± %.1f) with caches and TLB, "
                "%.1f (± %.1f) with neither, by replays at %zu moments",
                s->branch.cycles, s->branch.off, s->cache.cycles, s->cache.off, s->rest.cycles,
                s->rest.off, w->insitu.replays.list.count);
    say_levels(result, w);
    if (s->branch.cycles > s->branch.off && s->cache.cycles > s->cache.off)
        result_line(result, "%s",
                    "  a mispredicted branch that waits for a load miss counts with the caches");
}

static void say_split(struct result *result, const struct explaining *w)
{
    const struct split *s = &w->split;
    char more[64];

    snprintf(more, sizeof more, "%.1f (± %.1f) more than predicted", s->missing, s->off);
    say_cause(result, w, more);
    say_terms(result, w);
}

/* Result of the samples when nothing could be counted. */
static void say_sampled(struct result *result, const struct explaining *w)
{
    const struct run_profile *p = w->sampled;
    uint64_t head = w->kernel->insns[w->kernel->loops[w->loop].first].offset;
    size_t samples = 0;
    double off;

    for (size_t i = 0; i < p->loops.count; i++) {
        const struct profile_loop *l = &p->loops.items[i];
        if (strcmp(l->file, w->file) == 0 &&
            l->kernel->insns[l->kernel->loops[l->loop].first].offset == head)
            samples += l->samples;
    }
    double share = profile_share(p, samples, &off);
    result_line(result, "%s could not be counted: %s%s%s", w->name, w->refused.what,
                *w->refused.todo ? "; " : "", w->refused.todo);
    result_line(
        result,
        "sampled instead by the system's clock: it has %.1f %% (± %.1f) of %zu samples in %.1f s",
        100 * share, 100 * off, p->samples, p->seconds);
    result_text(result, "loop", w->name);
    result_text(result, "file", w->file);
    result_count(result, "samples", (int64_t)samples);
    result_number(result, "share", 100 * share);
    result_text(result, "reason", w->refused.what);
    if (w->output.path)
        result_line(result, "its output is in %s", w->output.path);
}

static bool explain_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct explaining *w = state;
    static const char *const causes[] = {[SPLIT_NONE] = "none",
                                         [SPLIT_BRANCH] = "branches",
                                         [SPLIT_CACHE] = "caches",
                                         [SPLIT_REST] = "rest",
                                         [SPLIT_REFUSED] = "not split"};
    const struct insitu *x = &w->insitu;
    bool alone;

    (void)err;
    if (w->sampled) {
        say_sampled(result, w);
        return true;
    }
    say_count(result, w);
    say_cycles(result, w);
    say_counted(result, w);
    say_split(result, w);
    result_text(result, "loop", w->name);
    result_text(result, "file", w->file);
    result_count(result, "iterations", (int64_t)placed_iterations(&x->placed));
    result_number(result, "cycles", insitu_cycles(x, INSITU_TYPICAL, &alone));
    result_number(result, "cycles_low", insitu_cycles(x, SPREAD_LOW, &alone));
    result_number(result, "cycles_high", insitu_cycles(x, SPREAD_HIGH, &alone));
    result_text(result, "cycles_of", alone ? "loop" : "loop and what is between its visits");
    result_number(result, "trip", insitu_trip(x));
    result_number(result, "predicted", w->predicted);
    result_number(result, "above", w->split.missing);
    result_number(result, "above_off", w->split.off);
    result_number(result, "branch_cycles", w->split.branch.cycles);
    result_number(result, "branch_off", w->split.branch.off);
    result_number(result, "cache_cycles", w->split.cache.cycles);
    result_number(result, "cache_off", w->split.cache.off);
    result_number(result, "rest_cycles", w->split.rest.cycles);
    result_number(result, "rest_off", w->split.rest.off);
    result_count(result, "replays", (int64_t)x->replays.list.count);
    result_text(result, "not_replayed", w->unreplayed);
    result_text(result, "cause", causes[w->split.cause]);
    result_text(result, "reason", w->split.why);
    result_text(result, "machine", w->machine ? w->machine->id : NULL);
    result_text(result, "output", w->output.path);
    add_paths(result, w);
    add_branches(result, w);
    add_loads(result, w);
    explained_free(s->document.explained);
    s->document.explained = w->kept;
    w->kept = NULL;
    result_line(result, "\nthe program was stopped %zu times for %.0f ms in all", 4 * x->moments,
                1000 * x->stopped);
    if (x->ended && WIFSIGNALED(x->status) && !x->killed)
        result_line(result, "it crashed: %s", strsignal(WTERMSIG(x->status)));
    else if (x->ended && w->options.argv && WIFEXITED(x->status) && WEXITSTATUS(x->status))
        result_line(result, "it ended with status %d", WEXITSTATUS(x->status));
    if (w->output.path)
        result_line(result, "its output is in %s", w->output.path);
    return true;
}

static void explaining_free(void *state)
{
    struct explaining *w = state;

    for (size_t i = 0; i < w->argv.count; i++)
        free(w->argv.items[i]);
    vec_done(&w->argv);
    program_output_done(&w->output);
    free(w->input);
    free(w->place);
    free(w->file);
    free(w->name);
    profile_free(w->sampled);
    explained_free(w->kept);
    paths_done(&w->paths);
    predictor_done(&w->branches);
    lines_done(&w->lines);
    insitu_done(&w->insitu);
    kernel_free(w->kernel);
    machine_free(w->machine);
    free(w);
}

/* Loop @number of the last profile, and its program again unless another or a process was named. */
static bool take_profiled(struct explaining *w, const struct run_profile *p, size_t number,
                          bool again, struct err *err)
{
    if (!p)
        return err_set(err, ERR_USAGE,
                       "program profile PROGRAM, or name the loop by its function or address",
                       "no program has been profiled");
    if (!number || number > p->loops.count)
        return err_set(err, ERR_USAGE, "program profile lists them",
                       "no loop %zu: %zu loops of %s were seen", number, p->loops.count,
                       p->program);
    const struct profile_loop *l = &p->loops.items[number - 1];
    w->kernel = kernel_hold(l->kernel);
    w->loop = l->loop;
    w->name = mem_strdup(l->name);
    w->file = mem_strdup(l->file);
    if (!again)
        return true;
    if (!p->argv.count)
        return err_set(err, ERR_USAGE, "--pid N attaches to it again",
                       "%s was not started from here", p->program);
    for (size_t i = 0; i < p->argv.count; i++)
        vec_push(&w->argv, mem_strdup(p->argv.items[i]));
    if (p->input && !w->input)
        w->input = mem_strdup(p->input);
    return true;
}

static bool choose_machine(struct explaining *w, struct session *s, const char *id, struct err *err)
{
    struct err ignored = {0};
    const struct document *d = &s->document;
    const struct machine *m = id ? session_machine(s, id, err)
                              : d->here.id && d->here.isa == isa_host()
                                  ? session_machine(s, d->here.id, &ignored)
                                  : session_current(s, &ignored);

    if (m && strcmp(m->isa, isa_name(isa_host())) == 0)
        w->machine = machine_copy(m);
    return !id || m;
}

static bool prepare_explain(struct session *s, const void *values, struct task *task,
                            struct err *err)
{
    static const struct task_ops ops = {.doing = "watches the loop",
                                        .work = explain_run,
                                        .publish = explain_finish,
                                        .free = explaining_free,
                                        .listed = TASK_LISTED,
                                        .measures = job_measures_always};
    const struct explain_values *v = values;
    bool attach = v->pid != NOT_GIVEN, ok = true;
    size_t number;

    if (attach && (v->words.count || v->output || v->input))
        return err_set(err, ERR_USAGE, "leave it out: a process that already runs has its own",
                       "--pid takes no program, --output and --input");
    struct explaining *w = mem_zero(1, sizeof *w);
    w->measure = v->measure;
    w->input = v->input ? mem_strdup(v->input) : NULL;
    for (size_t i = 0; i < v->words.count; i++)
        vec_push(&w->argv, mem_strdup(v->words.items[i]));
    if (strncmp(v->loop, "0x", 2) != 0 && parameter_count(v->loop, &number))
        ok = take_profiled(w, s->document.profile, number, !attach && !v->words.count, err);
    else if (!attach && !v->words.count)
        ok = err_set(err, ERR_USAGE,
                     "program explain LOOP ./PROGRAM -- ARGUMENTS, or program explain LOOP --pid N",
                     "no program is named");
    else {
        w->place = mem_strdup(v->loop);
        w->file = v->file ? mem_strdup(v->file) : NULL;
    }
    vec_push(&w->argv, NULL);
    ok = ok && choose_machine(w, s, v->machine, err) &&
         (attach || program_output_choose(&w->output, v->output, err));
    w->options = (struct insitu_options){.argv = attach ? NULL : (const char *const *)w->argv.items,
                                         .pid = attach ? (pid_t)v->pid : 0,
                                         .output = w->output.path,
                                         .input = w->input,
                                         .seconds = !isnan(v->seconds) ? v->seconds
                                                    : attach           ? ATTACHED_SECONDS
                                                                       : INFINITY};
    if (ok)
        return task_give(task, &ops, w);
    explaining_free(w);
    return false;
}

static const struct parameter arguments[] = {
    {.name = "LOOP",
     .kind = PARAMETER_TEXT,
     .at = offsetof(struct explain_values, loop),
     .required = true,
     .help = "number of a loop in the last program profile, or a function, an address or a place "
             "in a function (f+0x40)"},
    {.name = "PROGRAM",
     .kind = PARAMETER_WORDS,
     .at = offsetof(struct explain_values, words),
     .complete = COMPLETE_FILE,
     .help = "program and its arguments (default: the profiled one); write -- before arguments "
             "that begin with --"},
    {0},
};

static const struct parameter options[] = {
    {.name = "--pid",
     .kind = PARAMETER_COUNT,
     .at = offsetof(struct explain_values, pid),
     .value = "N",
     .least = 1,
     .most = 4194304,
     .otherwise = "start a program",
     .help = "running process that executes the loop; it continues afterwards"},
    {.name = "--file",
     .kind = PARAMETER_TEXT,
     .at = offsetof(struct explain_values, file),
     .value = "FILE",
     .otherwise = "the program",
     .complete = COMPLETE_FILE,
     .help = "program or library that holds the loop"},
    {.name = "--seconds",
     .kind = PARAMETER_DURATION,
     .at = offsetof(struct explain_values, seconds),
     .value = "T",
     .least = 0.01,
     .most = 86400,
     .otherwise = "until it ends; with --pid 5 s",
     .help = "time limit; a program that was started here is then killed"},
    {.name = "--output",
     .kind = PARAMETER_TEXT,
     .at = offsetof(struct explain_values, output),
     .value = "FILE",
     .otherwise = "a new file, named in the result",
     .complete = COMPLETE_FILE,
     .help = "file to append the program's output to"},
    {.name = "--input",
     .kind = PARAMETER_TEXT,
     .at = offsetof(struct explain_values, input),
     .value = "FILE",
     .otherwise = "no input",
     .complete = COMPLETE_FILE,
     .help = "file for the program's standard input"},
    {.name = "--measure",
     .kind = PARAMETER_COUNT,
     .at = offsetof(struct explain_values, measure),
     .value = "N",
     .initial = "2",
     .most = PATHS_SHOWN,
     .help = "commonest paths to measure alone, with their branches as recorded"},
    {.name = "--machine",
     .kind = PARAMETER_TEXT,
     .at = offsetof(struct explain_values, machine),
     .value = "ID",
     .otherwise = "this CPU's machine, or else the current one",
     .complete = COMPLETE_MACHINE,
     .help = "machine whose tables are used for predictions"},
    {0},
};

static const char *const examples[] = {"program explain 1",
                                       "program explain partition ./sort-it -- words.txt",
                                       "program explain 0x4308 --pid 4711 --seconds 10s", NULL};

const struct command command_program_explain = {
    .name = "program explain",
    .help = "count and time a hot loop within its running program",
    .description =
        "Works on optimised and stripped programs and libraries, without counters and privileges. "
        "The loop's code in memory is patched to lead to copies of it: one counts all iterations, "
        "one is timed for some moments, one records which way branches go. What the program "
        "computes and prints stays the same. Unsupported programs (code made at run time, "
        "seccomp, set-user-ID, a shadow stack) are refused before anything is changed. x86-64 "
        "Linux.",
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct explain_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_explain,
};
