/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/runs.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "program/runtime/bins.h"
#include "program/sizes.h"

#define INPUT_MOST ((size_t)64 << 20)
/* Number of alignments with which a short run is traced. The offset of an array in a cache line
 * determines the number of lines that a short row crosses. */
#define SHIFTS 4
#define SHIFT_BYTES 16           /* number of bytes between two offsets: the alignment of malloc */
/* Maximum number of references of a short run. A time limit would depend on the load of the
 * host. */
#define SHORT_REFERENCES 4e7
#define START_TRIES 5
/* number of runs with timed calls; the shortest time of each call is used */
#define CALL_RUNS 3

struct program_runs *program_runs_new(const struct program *p, char *const *names, size_t count)
{
    struct program_runs *runs = mem_zero(1, sizeof *runs);

    runs->program = program_hold(p);
    runs->names = mem_zero(count + 1, sizeof *runs->names);
    for (; runs->name_count < count; runs->name_count++)
        runs->names[runs->name_count] = mem_strdup(names[runs->name_count]);
    return runs;
}

void program_run_done(const struct program *p, struct program_run *run)
{
    for (size_t i = 0; run->references && i < p->reference_count; i++)
        free(run->references[i].bins);
    free(run->references);
    free(run->counts);
    free(run->taken);
    free(run->mispredicted);
    free(run->calls);
    free(run->callbacks);
    free(run->allocations);
    free(run->again);
    *run = (struct program_run){0};
}

void program_runs_free(const struct program_runs *held)
{
    struct program_runs *runs = (struct program_runs *)(uintptr_t)held;

    if (!runs || atomic_fetch_sub(&runs->holders, 1) > 0)
        return;
    for (size_t i = 0; i < runs->runs.count; i++)
        program_run_done(runs->program, &runs->runs.items[i]);
    vec_done(&runs->runs);
    for (size_t i = 0; i < runs->name_count; i++)
        free(runs->names[i]);
    free(runs->names);
    invocation_done(&runs->how);
    program_free(runs->program);
    free(runs);
}

const struct program_runs *program_runs_hold(const struct program_runs *runs)
{
    atomic_fetch_add(&((struct program_runs *)(uintptr_t)runs)->holders, 1);
    return runs;
}

const struct program_run *program_run_with(const struct program_runs *runs, const double *inputs)
{
    for (size_t r = 0; r < runs->runs.count; r++)
        if (memcmp(runs->runs.items[r].inputs, inputs, runs->name_count * sizeof *inputs) == 0)
            return &runs->runs.items[r];
    return NULL;
}

void program_inputs_print(char *const *names, const double *inputs, size_t count, struct str *out)
{
    for (size_t i = 0; i < count; i++)
        str_addf(out, "%s%s=%.15g", i ? " " : "", names[i], inputs[i]);
}

/* Sets err if the child failed. Returns whether it succeeded. */
static bool judge(const struct program_runs *runs, const double *inputs,
                  const struct child_result *r, const struct run_options *options, struct err *err)
{
    struct str at = {0};
    const char *said = str_text(&r->output);
    bool ok = false;

    program_inputs_print(runs->names, inputs, runs->name_count, &at);
    if (r->timed_out || (WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGXCPU))
        err_set(err, ERR_LIMIT, "use smaller inputs, or a longer time limit (--limit)",
                "the program did not end within %g s for %s", options->seconds, str_text(&at));
    else if (WIFSIGNALED(r->status))
        err_set(err, ERR_DATA, "run the program in a shell to see its messages",
                "the program crashed for %s: %s", str_text(&at), strsignal(WTERMSIG(r->status)));
    else if (!(ok = WIFEXITED(r->status) &&
                    (WEXITSTATUS(r->status) == 0 || options->how.any_status)))
        err_set(err, ERR_DATA,
                "program load --arguments sets where the program reads its inputs; --allow-exit "
                "accepts any exit status",
                "the program exited with status %d for %s%s%.*s", WEXITSTATUS(r->status),
                str_text(&at), *said ? ": " : "", (int)strcspn(said, "\n"), said);
    str_done(&at);
    return ok;
}

static const char *const mode_names[] = {"counts", "sampled", "exact", "calls", "sets"};

/* Runs @argv in the current directory. Its standard input is the file @input (NULL: empty).
 * child_result_done frees @result. */
static bool run_here(const char *const *argv, const char *input, const struct child_limits *limits,
                     struct child_result *result, struct err *err)
{
    struct str text = {0};
    char here[4096];

    *result = (struct child_result){0};
    const bool ok = (!input || file_read(input, INPUT_MOST, &text, err)) &&
                    child_run(argv, getcwd(here, sizeof here) ? here : "/", text.data, text.length,
                              limits, result, err);
    str_done(&text);
    return ok;
}

static bool run_traced(const struct program_runs *runs, const double *inputs,
                       const struct run_options *options, const char *directory, const char *trace,
                       unsigned shift, struct program_run *out, struct err *err)
{
    struct child_limits limits = {.cpu_seconds = (unsigned)options->seconds + 1,
                                  .memory = options->memory,
                                  .file_size = (size_t)1 << 33,
                                  .wall_seconds = options->seconds,
                                  .output = 4096,
                                  .fixed_addresses = true};
    struct str variable = {0}, mode = {0}, moved = {0}, caches = {0};
    VEC(const char *) argv = {0};
    struct child_result result;
    struct words words = {0};
    const struct program *sized = program_sized(runs->program, &options->how, runs->names, inputs,
                                                runs->name_count, err);

    str_addf(&variable, "PORTOLAN_TRACE=%s", trace);
    str_addf(&mode, "PORTOLAN_TRACE_MODE=%s", mode_names[options->mode]);
    str_addf(&moved, "PORTOLAN_TRACE_SHIFT=%u", shift);
    str_add(&caches, "PORTOLAN_TRACE_CACHES=");
    for (size_t l = 0; options->caches && l < options->caches->count; l++) {
        const struct cache_shape *shape = &options->caches->levels[l].shape;
        str_addf(&caches, "%s%.0fx%.0f", l ? "," : "", fmax(1, rint(shape->lines / shape->ways)),
                 shape->ways);
    }
    bool ok = sized && words_make(runs->names, inputs, runs->name_count, &options->how, directory,
                                  &words, err);
    vec_push(&argv, "env");
    vec_push(&argv, str_text(&variable));
    vec_push(&argv, str_text(&mode));
    vec_push(&argv, str_text(&moved));
    vec_push(&argv, str_text(&caches));
    vec_push(&argv, sized ? sized->path : "");
    for (size_t i = 0; i < words.list.count; i++)
        vec_push(&argv, words.list.items[i]);
    vec_push(&argv, NULL);
    if (ok) {
        double start = clock_seconds();
        ok = run_here(argv.items, words.input, &limits, &result, err);
        out->seconds = clock_seconds() - start;
        ok = ok && judge(runs, inputs, &result, options, err);
        child_result_done(&result);
    }
    words_done(&words);
    vec_done(&argv);
    str_done(&variable);
    str_done(&mode);
    str_done(&moved);
    str_done(&caches);
    return ok;
}

double program_start_seconds(struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = 5,
                                               .memory = (size_t)1 << 30,
                                               .file_size = 4096,
                                               .wall_seconds = 10,
                                               .output = 4096};
    static const char *const argv[] = {"true", NULL};
    double least = INFINITY;

    for (unsigned i = 0; i < START_TRIES; i++) {
        struct child_result result;
        bool ok = run_here(argv, NULL, &limits, &result, err);
        child_result_done(&result);
        if (!ok)
            return NAN;
        least = fmin(least, result.cpu_seconds);
    }
    return least;
}

bool program_measure(const struct program *p, char *const *names, size_t count,
                     const double *inputs, const struct run_options *options,
                     struct program_usage *out, struct err *err)
{
    struct child_limits limits = {.cpu_seconds = (unsigned)options->seconds + 1,
                                  .memory = options->memory,
                                  .file_size = (size_t)1 << 33,
                                  .wall_seconds = options->seconds,
                                  .asks = options->asks,
                                  .output = 4096};
    struct program_runs *runs = program_runs_new(p, names, count);
    VEC(const char *) argv = {0};
    /* Without this setting, waiting threads would spin and add to the CPU time. */
    static const char *const with_threads[] = {"env", "OMP_WAIT_POLICY=passive", NULL};
    struct str threads = {0};
    struct words words = {0};
    char *directory = child_directory_new(err);

    p = program_sized(p, &options->how, names, inputs, count, err);
    bool ok =
        p && directory && words_make(names, inputs, count, &options->how, directory, &words, err) &&
        (p->untraced ||
         err_set(
             err, ERR_USAGE, "load the program's source files with program load",
             "%s was not compiled by program load, so it has no version without counters to "
             "measure",
             p->name));
    str_addf(&threads, "OMP_NUM_THREADS=%zu", options->threads);
    for (size_t i = 0; options->threads > 1 && i < sizeof with_threads / sizeof *with_threads; i++)
        vec_push(&argv, with_threads[i] ? with_threads[i] : str_text(&threads));
    vec_push(&argv, p ? p->untraced : NULL);
    for (size_t i = 0; i < words.list.count; i++)
        vec_push(&argv, words.list.items[i]);
    vec_push(&argv, NULL);
    if (ok) {
        struct child_result result;
        double start = clock_wall();
        ok = run_here(argv.items, words.input, &limits, &result, err) &&
             judge(runs, inputs, &result, options, err);
        double wall = clock_wall() - start;
        child_result_done(&result);
        const double seconds = result.cpu_seconds;
        *out = (struct program_usage){.user = seconds - result.system_seconds,
                                      .system = result.system_seconds,
                                      .waited = fmax(0, wall - seconds),
                                      .faults = result.page_faults,
                                      .taken_over = seconds > 0 ? result.taken_over / seconds : 0};
    }
    str_done(&threads);
    words_done(&words);
    child_directory_free(directory);
    vec_done(&argv);
    program_runs_free(runs);
    return ok;
}

double run_step(const struct run_reference *r)
{
    double most = 0, step = 0;

    for (size_t i = 0; i < r->bin_count; i++) {
        const double of = rint(r->bins[i].step);
        double count = 0;
        for (size_t k = 0; k < r->bin_count; k++)
            count += rint(r->bins[k].step) == of ? r->bins[k].regular : 0;
        if (count > most) {
            most = count;
            step = of;
        }
    }
    return step;
}

double program_run_trips(const struct program *p, const struct program_run *run, uint32_t block)
{
    const struct program_block *b = &p->blocks[block];
    double entries = run->counts[block];

    for (size_t k = 0; k < b->next_count; k++)
        if (b->next[k] == block && b->two_way)
            entries -= k ? run->counts[block] - run->taken[block] : run->taken[block];
    return fmax(1, run->counts[block] / fmax(entries, 1));
}

/* Adds the bins of @from to those of @into. The distance of a bin is the mean of both. Its stride
 * is that of the bin with more steady accesses. */
static void join_bins(struct run_reference *into, const struct run_reference *from)
{
    const struct run_reference *both[] = {into, from};
    struct run_bin *sums = mem_zero(REUSE_BINS, sizeof *sums);
    size_t count = 0;

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->bin_count; i++) {
            const struct run_bin *b = &both[k]->bins[i];
            struct run_bin *sum =
                &sums[isinf(b->distance) ? REUSE_BIN_COLD : reuse_bin_of((uint64_t)b->distance)];
            double counts = sum->count + b->count;
            sum->distance = isinf(b->distance)
                                ? INFINITY
                                : (sum->distance * sum->count + b->distance * b->count) / counts;
            sum->step = b->regular > sum->regular ? b->step : sum->step;
            sum->count = counts;
            sum->regular += b->regular;
        }
    for (size_t i = 0; i < REUSE_BINS; i++)
        if (sums[i].count > 0)
            sums[count++] = sums[i];
    free(into->bins);
    /* Shrinks the array, because most references have few bins. */
    into->bins = mem_resize(sums, (count + 1) * sizeof *sums);
    into->bin_count = count;
}

void run_add(const struct program *p, struct program_run *into, const struct program_run *from)
{
    for (size_t b = 0; b < p->block_count; b++) {
        const double calls = into->counts[b] * (isnan(into->calls[b]) ? 0 : into->calls[b]) +
                             from->counts[b] * (isnan(from->calls[b]) ? 0 : from->calls[b]);
        into->counts[b] += from->counts[b];
        into->taken[b] += from->taken[b];
        into->mispredicted[b] += from->mispredicted[b];
        if (!isnan(from->calls[b]) && into->counts[b] > 0)
            into->calls[b] = calls / into->counts[b];
        into->callbacks[b] += from->callbacks[b];
    }
    for (size_t i = 0; i < p->reference_count; i++) {
        struct run_reference *to = &into->references[i], one = *to;
        const struct run_reference *more = &from->references[i];
        join_bins(to, more);
        to->references += more->references;
        if (!(one.references > 0)) {   /* A reference that was not executed takes the relations of
                                        * @from. */
            to->from = more->from;
            to->from_age = more->from_age;
            to->lead = more->lead;
            to->apart = more->apart;
            to->rows = more->rows;
        }
    }
    for (size_t l = 0; l < MEMORY_LEVELS; l++)
        into->missed[l] += from->missed[l];
}

/* Scales the bins, which are sums over @count runs, so that their counts add up to the exact number
 * of references. */
static void average(const struct program *p, struct program_run *run, unsigned count)
{
    for (size_t i = 0; i < p->reference_count; i++) {
        struct run_reference *r = &run->references[i];
        double total = 0;
        for (size_t k = 0; k < r->bin_count; k++)
            total += r->bins[k].count;
        for (size_t k = 0; count > 1 && k < r->bin_count; k++) {
            r->bins[k].count *= r->references / total;
            r->bins[k].regular *= r->references / total;
        }
    }
}

static bool run_once(const struct program_runs *runs, const double *inputs,
                     const struct run_options *options, unsigned shift, struct program_run *out,
                     struct err *err)
{
    /* Writes the trace to a new directory, because the files of the run may have any names. */
    char *dir = child_directory_new(err), *trace_dir = dir ? child_directory_new(err) : NULL;
    struct str trace = {0};

    *out = (struct program_run){.mode = options->mode, .faults = NAN};
    memcpy(out->inputs, inputs, runs->name_count * sizeof *inputs);
    str_addf(&trace, "%s/trace", trace_dir ? trace_dir : "");
    bool ok = trace_dir &&
              run_traced(runs, inputs, options, dir, str_text(&trace), shift, out, err) &&
              program_trace_read(program_sized(runs->program, &options->how, runs->names, inputs,
                                               runs->name_count, err),
                                 str_text(&trace), out, err);
    str_done(&trace);
    child_directory_free(trace_dir);
    child_directory_free(dir);
    return ok;
}

bool program_simulate_sets(const struct program *p, char *const *names, size_t count,
                           const double *inputs, const struct run_options *options,
                           const struct memory *memory, double missed[MEMORY_LEVELS],
                           struct err *err)
{
    struct program_runs *runs = program_runs_new(p, names, count);
    struct run_options simulated = *options;
    struct program_run run;

    simulated.mode = TRACE_SETS;
    simulated.caches = memory;
    bool ok = run_once(runs, inputs, &simulated, 0, &run, err);
    memcpy(missed, run.missed, sizeof run.missed);
    program_run_done(p, &run);
    program_runs_free(runs);
    return ok;
}

/* Measures the times of external calls in separate runs without tracing. */
static bool time_calls(const struct program_runs *runs, const double *inputs,
                       const struct run_options *options, struct program_run *out, struct err *err)
{
    struct run_options timed = *options;
    bool ok = true;

    timed.mode = TRACE_CALLS;
    for (unsigned i = 0; ok && i < CALL_RUNS; i++) {
        struct program_run one;
        ok = run_once(runs, inputs, &timed, 0, &one, err);
        for (size_t b = 0; ok && b < runs->program->block_count; b++) {
            /* NaN means that a run did not measure the call. fmin ignores NaN. */
            out->calls[b] = fmin(out->calls[b], one.calls[b]);
            out->callbacks[b] = one.callbacks[b];
        }
        program_run_done(runs->program, &one);
    }
    return ok;
}

static bool is_short(const struct program *p, const struct program_run *run)
{
    double references = 0;

    for (size_t i = 0; i < p->reference_count; i++)
        references += run->references[i].references;
    return references < SHORT_REFERENCES;
}

bool program_runs_add(struct program_runs *runs, const double *inputs,
                      const struct run_options *options, struct err *err)
{
    struct program_run run;
    unsigned count = 1;
    bool ok = run_once(runs, inputs, options, 0, &run, err);

    if (!runs->started)
        runs->how = invocation_copy(&options->how);
    runs->started = true;
    const bool moves = ok && options->mode != TRACE_COUNTS && is_short(runs->program, &run);
    for (; ok && moves && count < SHIFTS; count++) {
        struct program_run moved;
        ok = run_once(runs, inputs, options, count * SHIFT_BYTES, &moved, err);
        for (size_t i = 0; ok && i < runs->program->reference_count; i++)
            join_bins(&run.references[i], &moved.references[i]);
        program_run_done(runs->program, &moved);
    }
    ok = ok && (options->mode == TRACE_COUNTS || time_calls(runs, inputs, options, &run, err));
    if (ok && runs->program->untraced) {
        struct program_usage used = {.faults = NAN};
        ok = program_measure(runs->program, runs->names, runs->name_count, inputs, options, &used,
                             err);
        run.faults = used.faults;
    }
    if (ok) {
        average(runs->program, &run, count);
        vec_push(&runs->runs, run);
    } else {
        program_run_done(runs->program, &run);
    }
    return ok;
}
