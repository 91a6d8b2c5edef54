/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that list blocks and memory references of a program, with the inputs of a run or other
 * inputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "program/binned.h"
#include "program/basis.h"
#include "program/memory.h"
#include "program/native_kept.h"
#include "program/octaves.h"
#include "work/job.h"

/* smallest ratio of misses to the misses of a fully associative cache at which conflict misses are
 * reported */
#define CONFLICTS 1.1

struct blocks_values {
    struct word_list inputs;
    size_t top;
};

struct ranked_block { size_t block; double executions; };

ORDER_BY(by_executions, struct ranked_block, DESCENDING(executions))

/* Returns the blocks sorted by executed instructions, most first. Sets *@count. The caller frees
 * them. */
static struct ranked_block *rank(const struct program *p, const struct program_run *run,
                                 size_t *count)
{
    struct ranked_block *list = mem_zero(p->block_count + 1, sizeof *list);

    *count = 0;
    for (size_t b = 0; b < p->block_count; b++)
        if (run->counts[b] > 0)
            list[(*count)++] =
                (struct ranked_block){b, run->counts[b] * (double)(p->blocks[b].op_count + 1)};
    qsort(list, *count, sizeof *list, by_executions);
    return list;
}

static void say_inputs(struct result *result, const struct program_model *m, const double *inputs,
                       const char *what)
{
    struct str at = {0};
    program_inputs_print(m->runs->names, inputs, m->runs->name_count, &at);
    result_line(result, "%s: %s at %s", m->runs->program->name, what, str_text(&at));
    for (size_t i = 0; i < m->runs->name_count; i++)
        result_number(result, m->runs->names[i], inputs[i]);
    str_done(&at);
}

/* Adds one block. @all: executions of all blocks. The block's share of them is its probability. */
static void add_block(struct result_table *t, const struct program_model *m,
                      const struct program_run *run, size_t b, double all)
{
    const struct program *p = m->runs->program;
    const struct program_block *block = &p->blocks[b];
    const struct formula *f = program_model_count(m, b);
    struct str formula = {0}, name = {0};
    static const char *const bases[] = {[COUNT_RUN] = "run",
                                        [COUNT_CODE] = "code",
                                        [COUNT_FITS] = "fits the runs",
                                        [COUNT_ESTIMATE] = "estimate"};
    const enum count_basis basis = count_basis_of(m, b, run->inputs);
    const bool exact = basis <= COUNT_CODE;

    str_addf(&name, "%s:%zu", p->functions[block->function].name,
             b - p->functions[block->function].first_block);
    count_print(m, b, run->inputs, run->counts[b], &formula);
    cell_text(t, str_text(&name));
    cell_count_if(t, block->line, block->line);
    cell_number(t, run->counts[b]);
    cell_text(t, str_text(&formula));
    cell_number(t, exact ? 0 : f->exact ? NAN : 100 * f->error);
    cell_switch(t, exact);
    cell_count(t, (int64_t)block->op_count);
    cell_number(t, block->two_way && run->counts[b] > 0 ? run->taken[b] / run->counts[b] : NAN);
    cell_number(t, 100 * run->counts[b] / all);
    cell_text(t, bases[basis]);
    str_done(&formula);
    str_done(&name);
}

static bool run_blocks(struct session *s, const void *values, struct result *result,
                       struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "block", .kind = CELL_TEXT},
        {.key = "line", .kind = CELL_COUNT},
        {.key = "count", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "formula", .kind = CELL_TEXT},
        {.key = "left_out_error", .title = "left-out error", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 2},
        {.key = "exact", .kind = CELL_SWITCH},
        {.key = "instructions", .kind = CELL_COUNT},
        {.key = "first_way", .title = "condition true", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "share", .title = "share of all executions", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 3},
        {.key = "basis", .kind = CELL_TEXT}};
    const struct blocks_values *v = values;
    const struct program_model *m = program_fitted(s, err);
    double inputs[INPUTS_MAX];
    struct program_run run;
    size_t count;
    double all = 0;

    if (!m || !program_inputs_given(m, &v->inputs, inputs, err))
        return false;
    program_model_at(m, inputs, &run);
    for (size_t b = 0; b < m->runs->program->block_count; b++)
        all += run.counts[b];
    say_inputs(result, m, inputs, "blocks");
    struct ranked_block *list = rank(m->runs->program, &run, &count);
    struct result_table *t = RESULT_TABLE(result, "blocks", columns);
    for (size_t i = 0; i < count && i < v->top; i++)
        add_block(t, m, &run, list[i].block, all);
    if (count > v->top)
        result_line(result, "blocks not shown: %zu; --top N shows more", count - v->top);
    free(list);
    program_run_done(m->runs->program, &run);
    return true;
}

const struct command command_program_blocks = {
    .name = "program blocks",
    .help = "show how often each block of the program is executed, as a formula of the inputs",
    .description =
        "Blocks are LLVM's basic blocks after optimisation. A count is exact if a run had these "
        "inputs, or if it follows from the trip counts of LLVM's scalar evolution. Library "
        "functions are assumed to return. A formula that fits the runs equals the count of every "
        "run, but the program may behave differently at other inputs. An estimate is the formula "
        "with the least left-out error. The left-out error is the mean error when each run is "
        "predicted from the other runs.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(blocks_values)),
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--top", struct blocks_values, top), .value = "N", .least = 1,
         .most = 1e9, .initial = "40",
         .help = "number of blocks shown, those with the most executed instructions first"}),
    .examples = EXAMPLES("program blocks", "program blocks N=4096 --top 10"),
    .values_size = sizeof(struct blocks_values),
    .run = run_blocks,
};

struct reuse_values {
    struct word_list inputs;
};

/* Adds the number of references per power of two of their reuse distance. */
static void add_octaves(struct result *result, const struct program *p,
                        const struct program_run *run)
{
    static const struct result_column columns[] = {
        {.key = "distance", .title = "minimum distance", .unit = "lines", .kind = CELL_NUMBER,
         .decimals = 0},
        {.key = "references", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "share", .unit = "%", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "regular", .title = "constant stride", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1}};
    struct octaves o;

    octaves_of(p, run, &o);
    struct result_table *t = RESULT_TABLE(result, "reuse", columns);
    for (int i = 0; i < OCTAVES; i++) {
        if (!(o.counts[i] > 0))
            continue;
        if (i == OCTAVE_FIRST_USES)
            cell_missing(t);
        else
            cell_number(t, octave_from(i));
        cell_number(t, o.counts[i]);
        cell_number(t, 100 * o.counts[i] / o.all);
        cell_heat(t, o.counts[i] / o.all);
        cell_number(t, 100 * o.regular[i] / o.counts[i]);
    }
    result_line(result, "the row without a distance counts first uses");
    result_number(result, "references", o.all);
}

static bool run_reuse(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct reuse_values *v = values;
    const struct program_model *m = program_fitted(s, err);
    double inputs[INPUTS_MAX];
    struct program_run run;

    if (!m || !program_inputs_given(m, &v->inputs, inputs, err))
        return false;
    if (!m->traced)
        return err_set(err, ERR_USAGE, "use program run without --mode counts",
                       "the runs have no reuse distances");
    program_model_at(m, inputs, &run);
    say_inputs(result, m, inputs, "reuse distances in cache lines of 64 bytes");
    add_octaves(result, m->runs->program, &run);
    program_run_done(m->runs->program, &run);
    return true;
}

const struct command command_program_reuse = {
    .name = "program reuse",
    .help = "show the number of distinct cache lines between two uses of a line",
    .description =
        "In a fully associative cache of N lines, references with a distance below N are hits.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(reuse_values)),
    .examples = EXAMPLES("program reuse", "program reuse N=4096"),
    .values_size = sizeof(struct reuse_values),
    .run = run_reuse,
};

/* Returns how many of the @all references miss in a cache level. */
static double misses_of(const struct memory *m, size_t level, const struct cache_shape *shape,
                        const struct reuse_histogram *all)
{
    double misses = 0;
    for (size_t i = 0; i < all->bins.count; i++)
        misses += all->bins.items[i].count *
                  (1 - memory_hit(m, level, shape, all->bins.items[i].distance));
    return misses;
}

/* Adds the misses and the local hit rate of each cache level. @by_sets: misses of the simulated
 * sets per level; NULL: not simulated, in which case also reports estimated conflict misses. */
static void add_levels(struct result *result, const struct memory *memory,
                       const struct reuse_histogram *all, const double *by_sets)
{
    static const struct result_column columns[] = {
        {.key = "level", .kind = CELL_TEXT},
        {.key = "bytes", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "ways", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "misses", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "rate", .title = "share of all references", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 3},
        {.key = "hit_rate", .title = "hits among accesses to this level", .unit = "%",
         .kind = CELL_NUMBER, .decimals = 3},
        {.key = "full", .title = "fully associative", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "sets", .title = "simulated misses", .kind = CELL_NUMBER, .decimals = 0}};
    size_t shown = sizeof columns / sizeof *columns - !by_sets;
    double total = reuse_histogram_total(all), reach = total, conflicts[MEMORY_LEVELS] = {0};

    struct result_table *t = result_table(result, "levels", columns, shown);
    for (size_t l = 0; l < memory->count; l++) {
        const struct cache_shape *shape = &memory->levels[l].shape;
        double misses = fmin(reach, misses_of(memory, l, shape, all));
        cell_text(t, l == 0 ? "L1" : l == 1 ? "L2" : "L3");
        cell_number(t, shape->lines * MEMORY_LINE);
        cell_number(t, shape->ways);
        cell_number(t, misses);
        cell_number(t, total > 0 ? 100 * misses / total : 0);
        cell_number(t, reach > 0 ? 100 * (1 - misses / reach) : NAN);
        double full = misses_of(memory, l, &(struct cache_shape){shape->lines, shape->lines}, all);
        cell_number(t, full);
        if (by_sets)
            cell_number(t, by_sets[l]);
        conflicts[l] = misses > CONFLICTS * full ? misses - full : 0;
        reach = misses;
    }
    for (size_t l = 0; l < memory->count && !by_sets; l++)
        if (conflicts[l] > 0)
            result_line(result,
                        "L%zu: %.0f misses are conflicts, if lines are spread over the sets at "
                        "random; contiguous arrays have fewer conflicts (--sets simulates the "
                        "sets)",
                        l + 1, conflicts[l]);
}

/* Adds the misses for each cache size, up to the size with which only first uses miss, or 2^30
 * lines. */
static void add_curve(struct result *result, const struct reuse_histogram *all)
{
    static const struct result_column columns[] = {
        {.key = "size", .title = "cache size", .unit = "bytes", .kind = CELL_NUMBER, .decimals = 0},
        {.key = "full_misses", .title = "misses, fully associative", .kind = CELL_NUMBER,
         .decimals = 0},
        {.key = "eight_way_misses", .title = "8 ways", .kind = CELL_NUMBER, .decimals = 0}};
    double cold = sdcm_misses_full(1e15, all), full = INFINITY;

    result_line(result, "\nmisses by cache size");
    struct result_table *t = RESULT_TABLE(result, "curve", columns);
    for (double lines = 16; lines <= 0x1p30 && full > cold; lines *= 2) {
        full = sdcm_misses_full(lines, all);
        cell_number(t, lines * MEMORY_LINE);
        cell_number(t, full);
        cell_number(t, sdcm_misses(&(struct cache_shape){lines, 8}, all));
    }
}

/* Predicts the reuse profile at @inputs with the binned fit over the profiles of all runs. */
static struct reuse_histogram paper_profile(const struct program_model *m, const double *inputs,
                                            double total)
{
    size_t n = m->runs->runs.count, width = m->runs->name_count;
    struct reuse_histogram *profiles = mem_zero(n, sizeof *profiles), out;
    double *all = mem_alloc(n * width * sizeof *all), at[INPUTS_MAX];

    for (size_t i = 0; i < width; i++)
        at[i] = model_reciprocal(inputs[i]);
    for (size_t r = 0; r < n; r++) {
        profiles[r] = run_distances(m->runs->program, &m->runs->runs.items[r]);
        for (size_t i = 0; i < width; i++)
            all[r * width + i] = model_reciprocal(m->runs->runs.items[r].inputs[i]);
    }
    binned_profile(&(struct fit_data){all, width, n, NULL}, profiles, at, total, &out);
    for (size_t r = 0; r < n; r++)
        reuse_histogram_done(&profiles[r]);
    free(profiles);
    free(all);
    return out;
}

struct misses_values {
    struct word_list inputs;
    const char *machine;
    const char *profile;
    size_t threads;
    double common, limit;
    bool fresh, sets;
};

/* State of the job that counts misses. It may also fit the profile, and measure this CPU's
 * memory. */
struct missing {
    const struct misses_values *given;
    struct program_case at;
    bool bins;
    /* options of the run that simulates the cache sets, with owned strings */
    struct run_options options;
    double missed[MEMORY_LEVELS];      /* misses per level in the simulated sets */
    /* date of this CPU's memory measurement; "" for another machine */
    char day[KEPT_DAY];
    struct memory memory;
    struct reuse_histogram all;
};

static bool misses_run(void *state, struct result *result, struct err *err)
{
    struct missing *w = state;
    const struct program_model *m = w->at.model;
    struct program_run run;

    job_progress(0, 0, "%s", w->at.machine->id);
    if ((w->at.here && !native_known(w->at.machine, w->given->fresh, w->day, err)) ||
        !memory_of(w->at.machine, &w->memory, err))
        return false;
    program_model_at(m, w->at.inputs, &run);
    w->all = run_distances(m->runs->program, &run);
    w->memory.sharing = run_sharing(m->runs->program, &run, (double)w->given->threads,
                                    w->given->common / 100);
    program_run_done(m->runs->program, &run);
    if (w->bins) {
        struct reuse_histogram binned =
            paper_profile(m, w->at.inputs, reuse_histogram_total(&w->all));
        reuse_histogram_done(&w->all);
        w->all = binned;
    }
    if (w->given->sets) {
        child_watch(job_cancelled, NULL);
        bool ok = program_simulate_sets(m->runs->program, m->runs->names, m->runs->name_count,
                                        w->at.inputs, &w->options, &w->memory, w->missed, err);
        child_watch(NULL, NULL);
        if (!ok)
            return false;
    }
    return watch_goes_on(err);   /* A cancelled fit is incomplete and must not be used. */
}

static bool misses_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct missing *w = state;

    say_inputs(result, w->at.model, w->at.inputs, "misses");
    if (w->bins)
        result_line(result,
                    "distances in %d bins for the whole program, as in the PPT-AMMP paper. "
                    "References in bins that are empty in all runs are not predicted",
                    BINNED_BINS);
    result_line(result, "on %s", w->at.machine->title);
    program_say_memory(result, w->day);
    program_say_threads(result, w->given->threads, w->given->common);
    result_text(result, "machine", w->at.machine->id);
    result_number(result, "references", reuse_histogram_total(&w->all));
    add_levels(result, &w->memory, &w->all, w->given->sets ? w->missed : NULL);
    if (w->given->sets)
        result_line(
            result,
            "simulated with the addresses of a run at the given inputs. Each set keeps its most "
            "recently used lines, and is accessed after a miss in the previous cache level");
    add_curve(result, &w->all);
    return true;
}

static void missing_free(void *state)
{
    struct missing *w = state;
    reuse_histogram_done(&w->all);
    program_case_done(&w->at);
    invocation_done(&w->options.how);
    free(w);
}

static bool prepare_misses(struct session *s, const void *values, struct task *task,
                           struct err *err)
{
    static const struct task_ops ops = {"counts misses", misses_run, misses_finish, missing_free,
                                        .listed = TASK_LISTED};
    const struct misses_values *v = values;
    struct missing *w = mem_zero(1, sizeof *w);

    w->given = v;
    w->bins = strcmp(v->profile, "bins") == 0;
    w->options = (struct run_options){.how = invocation_copy(&s->document.program.how),
                                      .seconds = v->limit,
                                      .memory = (size_t)64 << 30};
    bool ok = program_case_read(s, &v->inputs, v->machine, &w->at, err);
    if (ok && !w->at.model->traced)
        ok = err_set(err, ERR_USAGE, "use program run without --mode counts",
                     "the runs have no reuse distances");
    task->measures = w->at.here;
    return task_give(task, &ops, w) && ok;
}

const struct command command_program_misses = {
    .name = "program misses",
    .help = "show the program's cache misses on each cache level of a machine, and by cache size",
    .description =
        "Uses the stack distance model, which assumes that lines are spread over the sets at "
        "random. Strides of large powers of two use few sets and miss more often than predicted. "
        "For this CPU (native) the last level is its available part. With --threads, the misses of "
        "all threads are counted; the curve shows the serial run.",
    .arguments = PARAMETERS(PROGRAM_INPUTS_ARGUMENT(misses_values)),
    .options = PARAMETERS(
        MACHINE_OPTION(misses_values, "the current machine", "machine whose caches are used"),
        {PARAMETER(CHOICE, "--profile", struct misses_values, profile), .choices = "clusters|bins",
         .initial = "clusters",
         .help = "clusters: distances of each reference, in clusters that depend on the inputs; "
                 "bins: the paper's 40 bins of the whole program, with formulas for their shares"},
        {PARAMETER(FLAG, "--sets", struct misses_values, sets),
         .help = "also run the program at the given inputs and simulate the cache sets, to show "
                 "the conflicts of its addresses"},
        {PARAMETER(DURATION, "--limit", struct misses_values, limit), .value = "T", .least = 0.001,
         .most = 1e6, .initial = "60", .help = "time limit of the run of --sets"},
        PROGRAM_FRESH_OPTION(misses_values), PROGRAM_THREADS_OPTIONS(misses_values)),
    .examples = EXAMPLES("program misses", "program misses N=2000 --machine skylake",
                         "program misses N=2000 --threads 8 --common 30",
                         "program misses N=2000 --profile bins"),
    .values_size = sizeof(struct misses_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_misses,
};
