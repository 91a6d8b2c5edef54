/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command program blame: explains the difference between predicted and measured time. Samples show
 * the time of each part. The parts that differ most are also measured in isolation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "measure/kernel_passes.h"
#include "model/facts.h"
#include "program/blamed.h"
#include "program/estimate.h"
#include "program/located.h"
#include "program/native_kept.h"
#include "program/sizes.h"
#include "program/pages.h"
#include "program/words.h"
#include "work/job.h"

/* number of samples; enough to determine a share of 10 % to within 1 % */
#define SAMPLES 3000
#define RUNS_MOST 20
#define RATE 2000.0
#define SHOWN 0.01             /* smallest share of the time of a listed part */
#define MEASURED_MOST 3        /* maximum number of parts to measure in isolation */

struct program_blame_values {
    struct word_list inputs;
    const char *machine;
    double limit;
};

struct blaming_program {
    const struct program_model *model;
    double inputs[INPUTS_MAX];
    struct machine *machine;
    /* whether the machine is this CPU; its measured memory and clock then apply */
    bool here;
    char day[KEPT_DAY];              /* date of this CPU's memory measurement; "" for another
                                      * machine */
    struct invocation how;
    double limit;
    unsigned runs;
    double clock_hz; /* clock in Hz with which @predicted was computed */
    size_t samples;
    /* user time in seconds, predicted and measured in the shortest run */
    double predicted, measured;
    /* CPU seconds of the shortest run, and user time summed over all runs */
    double least, user;
    struct blamed_system system;
    double faults_user; /* predicted seconds of page faults that count as user time */
    uint32_t again;              /* block that repeatedly frees and allocates the largest number of
                                  * pages; UINT32_MAX: none */
    double again_pages;
    double elsewhere;                  /* seconds measured in libraries or outside any part */
    char *different;
    VEC(struct blamed_part) parts;     /* parts, largest difference first */
    char *sentence;
};

static bool goes_on(void *state, double seconds, size_t samples)
{
    struct blaming_program *w = state;
    job_progress((double)(w->samples + samples), SAMPLES, "run %u, %.1f s", w->runs + 1, seconds);
    return !job_cancelled(NULL);
}

static bool watch_run(struct blaming_program *w, const struct program_code *code,
                      const struct code_parts *parts, const char *const *argv, const char *input,
                      struct located *located, struct err *err)
{
    struct sampling o = {.argv = argv,
                         .input = input,
                         .output = "/dev/null",
                         .seconds = w->limit,
                         .rate = RATE,
                         .goes_on = goes_on,
                         .state = w};
    struct sampled s;
    bool ok = sampling_run(&o, &s, err);

    if (ok && !s.ended)
        ok = err_set(err, ERR_LIMIT, "use smaller inputs, or a longer time limit (--limit)",
                     "the program did not end within %g s", w->limit);
    if (ok && (!WIFEXITED(s.status) || (WEXITSTATUS(s.status) && !w->how.any_status)))
        ok = err_set(err, ERR_DATA, "run the program in a shell to see its messages",
                     "the program did not exit with status 0");
    ok = ok && located_add(located, code, parts, argv[0], &s.samples, err);
    if (ok) {
        const double system = isnan(s.system) ? 0 : s.system, all = s.user + system;
        w->least = w->runs ? fmin(w->least, all) : all;
        w->user += s.user;
        w->system.measured += system;
        w->samples = located->all;
        w->runs++;
    }
    sampled_done(&s);
    return ok;
}

/* Predicts the program's time at the core's current clock and share. Keeps the shortest prediction
 * so far in @least. Returns false with err on failure. */
static bool predict(struct blaming_program *w, struct estimator *e, struct program_time *least,
                    struct err *err)
{
    struct program_time now = {.cycles = 0};

    estimator_meet_here(e, w->machine);
    if (!estimator_time(e, w->machine, NULL, &now, err))
        return false;
    if (least->cycles > 0 && now.seconds >= least->seconds) {
        program_time_done(&now);
        return true;
    }
    program_time_done(least);
    *least = now;
    w->clock_hz = fact_number(w->machine, "clock") * 1e9;
    return true;
}

static bool watch_runs(struct blaming_program *w, struct estimator *e,
                       const struct code_parts *parts, struct located *located,
                       struct program_time *time, struct err *err)
{
    const struct program_code *code = estimator_code(e);
    const struct program_runs *runs = w->model->runs;
    VEC(const char *) argv = {0};
    const struct run_options options = {.how = w->how};
    struct words words = {0};
    char *directory = child_directory_new(err);
    bool ok = directory && words_make(runs->names, w->inputs, runs->name_count, &options.how,
                                      directory, &words, err);

    const struct program *sized =
        program_sized(runs->program, &w->how, runs->names, w->inputs, runs->name_count, err);
    ok = ok && sized;
    vec_push(&argv, sized ? sized->untraced : NULL);
    for (size_t i = 0; i < words.list.count; i++)
        vec_push(&argv, words.list.items[i]);
    vec_push(&argv, NULL);
    do
        ok = ok && watch_run(w, code, parts, argv.items, words.input, located, err) &&
             predict(w, e, time, err);
    while (ok && located->all < SAMPLES && w->runs < RUNS_MOST);
    if (ok && !located->all)
        ok = err_set(err, ERR_DATA, "use larger inputs",
                     "the program used too little CPU time for a sample");
    words_done(&words);
    child_directory_free(directory);
    vec_done(&argv);
    /* The system accounts user time in ticks, so only the ratio over all runs is accurate. */
    w->measured = w->user > 0 ? w->least * w->user / (w->user + w->system.measured) : 0;
    w->system.measured = fmax(0, w->least - w->measured);
    return ok;
}

/* Measures at most MEASURED_MOST paths of loops in isolation, with data in the first-level cache.
 * Begins with the largest difference between measured and predicted time. Stores why a path was not
 * measured. Returns false with err if cancelled. */
static bool measure(struct blaming_program *w, const struct program_code *code,
                    const struct code_parts *parts, struct err *err)
{
    struct calibration calibration;
    struct sandbox *sandbox = sandbox_new(-1, err);
    bool ok = sandbox && calibrate(sandbox, job_cancelled, NULL, &calibration, err);

    if (sandbox)
        sandbox_cancel_by(sandbox, job_cancelled, NULL);
    for (size_t i = 0, done = 0; i < w->parts.count && done < MEASURED_MOST && !job_cancelled(NULL);
         i++) {
        struct blamed_part *b = &w->parts.items[i];
        const struct code_part *part = &parts->list.items[b->part];
        struct kernel_measured measured;
        if (!b->repeats)
            continue;
        struct insn *insns = mem_zero(part->insns.count + 1, sizeof *insns);
        for (size_t k = 0; k < part->insns.count; k++) {
            insns[k] = code->units[part->unit].kernel->insns[part->insns.items[k]];
            if (insns[k].traits & INSN_BRANCH)
                insns[k].traits |= INSN_FOLLOWED;
        }
        job_progress((double)done++, MEASURED_MOST, "measuring %s outside the program", b->name);
        if (ok && kernel_run(sandbox, &calibration, insns, part->insns.count, &measured, err))
            b->alone = measured.cycles;
        else
            b->unmeasured = mem_strdup(err->what);
        free(insns);
    }
    sandbox_free(sandbox);
    return watch_goes_on(err);
}

/* Runs the instrumented program with the same inputs, for counts and page faults. Returns one run,
 * which program_runs_free frees; NULL with err. */
static struct program_runs *count_run(struct blaming_program *w, struct err *err)
{
    const struct program_runs *runs = w->model->runs;
    struct program_runs *counted = program_runs_new(runs->program, runs->names, runs->name_count);
    const struct run_options options = {
        .how = w->how, .mode = TRACE_COUNTS, .seconds = w->limit, .memory = (size_t)64 << 30};

    job_progress(0, SAMPLES, "counting");
    child_watch(job_cancelled, NULL);
    const bool ok = program_runs_add(counted, w->inputs, &options, err);
    child_watch(NULL, NULL);
    if (ok)
        return counted;
    program_runs_free(counted);
    return NULL;
}

/* Predicts the system time, and finds the block that repeatedly frees and allocates the most
 * pages. */
static bool find_system(struct blaming_program *w, struct estimator *e,
                        const struct program_run *counted, struct err *err)
{
    const struct program_run *run = estimator_run(e);
    struct system_cost cost;

    const bool ok = estimator_meet_system(e, w->machine, &cost, err);
    w->system.predicted = cost.system;
    w->faults_user = cost.user;
    w->system.faults_predicted = run->faults;
    w->system.faults_measured = counted->faults;
    w->again = UINT32_MAX;
    for (size_t b = 0; run->again && b < w->model->runs->program->block_count; b++)
        if (run->again[b] > w->again_pages) {
            w->again = (uint32_t)b;
            w->again_pages = run->again[b];
        }
    return ok;
}

static bool blame_run(void *state, struct result *result, struct err *err)
{
    struct blaming_program *w = state;
    struct estimator *e = estimator_new(w->model, w->inputs, ESTIMATE_STEADY, err);
    struct program_time time = {.cycles = 0};
    struct code_parts parts = {{0}};
    struct located located = {.all = 0};

    if (!e)
        return false;
    bool ok = !w->here || native_known(w->machine, false, w->day, err);
    struct program_runs *counted = ok ? count_run(w, err) : NULL;
    struct memory memory;
    code_parts_find(estimator_code(e), estimator_run(e), &parts);
    ok = counted && find_system(w, e, &counted->runs.items[0], err) &&
         predict(w, e, &time, err) && watch_runs(w, e, &parts, &located, &time, err) &&
         memory_of(w->machine, &memory, err);
    for (size_t i = 0; ok && i < parts.list.count; i++) {
        struct blamed_part b;
        blamed_part_fill(&b, w->model->runs->program, estimator_run(e), &parts, i, &time,
                         w->clock_hz, fact_number(w->machine, "branch_miss"));
        blamed_part_count(&b, &parts, estimator_run(e), &counted->runs.items[0]);
        b.near = w->model->traced &&
                 formula_value(&w->model->footprint, w->inputs, w->model->runs->name_count) <=
                     memory.levels[0].shape.lines;
        double share = (double)located.samples[i] / (double)located.all;
        b.measured = share * w->measured;
        b.off = 1.96 *
                sqrt((share * (1 - share) + 1.0 / (double)located.all) / (double)located.all) *
                w->measured;
        if (fmax(b.predicted / time.seconds, share) < SHOWN)
            blamed_part_done(&b);
        else
            vec_push(&w->parts, b);
    }
    w->predicted = time.seconds;
    if (ok) {
        w->elsewhere = w->measured * (double)located.elsewhere / (double)located.all;
        w->different = mem_strdup(located.different);
        blamed_parts_sort(w->parts.items, w->parts.count);
        ok = measure(w, estimator_code(e), &parts, err);
    }
    if (ok)
        w->sentence =
            blamed_judge(w->parts.items, w->parts.count, w->measured, w->predicted, w->elsewhere);
    double more = 0;   /* seconds by which the parts exceed their predictions */
    for (size_t i = 0; i < w->parts.count; i++)
        more += w->parts.items[i].measured - w->parts.items[i].predicted;
    if (ok && more > 0 && w->faults_user > more / 2) {
        struct str text = {0};
        str_addf(&text,
                 "Page faults take %.4f s of user time. The parts' predictions exclude them.",
                 w->faults_user);
        free(w->sentence);
        w->sentence = str_take(&text);
    }
    program_runs_free(counted);
    located_done(&located);
    code_parts_done(&parts);
    program_time_done(&time);
    estimator_free(e);
    return ok;
}

static void say_system(struct result *result, const struct blaming_program *w)
{
    const struct program *p = w->model->runs->program;

    result_line(result, "system time: %.4f s, predicted %.4f s", w->system.measured,
                w->system.predicted);
    if (!isnan(w->system.faults_measured) && !isnan(w->system.faults_predicted))
        result_line(result, "page faults: %.0f, predicted %.0f", w->system.faults_measured,
                    w->system.faults_predicted);
    program_say_faults(result, w->faults_user, fact_number(w->machine, "page_fault_user"));
    if (w->again != UINT32_MAX && w->again_pages >= SHOWN * w->system.faults_predicted)
        result_line(result,
                    "%.0f of these page faults are in memory that is freed and allocated again, "
                    "mostly by the allocations of %s:%u, line %u",
                    w->again_pages, p->functions[p->blocks[w->again].function].name,
                    w->again - p->functions[p->blocks[w->again].function].first_block,
                    p->blocks[w->again].line);
    result_number(result, "system_measured", w->system.measured);
    result_number(result, "system", w->system.predicted);
    result_number(result, "faults_measured", w->system.faults_measured);
    result_number(result, "faults", w->system.faults_predicted);
}

static bool blame_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "part", .kind = CELL_TEXT},
        {.key = "line", .kind = CELL_COUNT},
        {.key = "predicted", .unit = "s", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "measured", .unit = "s", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "off", .title = "±", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "difference", .unit = "s", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "core", .title = "predicted cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "alone", .title = "alone", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "term", .title = "cause", .kind = CELL_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT}};
    struct blaming_program *w = state;
    struct str at = {0};

    program_show_resume(s);
    program_inputs_print(w->model->runs->names, w->inputs, w->model->runs->name_count, &at);
    result_line(result,
                "%s at %s: minimum user time of all runs %.4f s on this CPU, %.4f s predicted with "
                "the tables of %s (%+.0f %%); %zu sample%s of %u run%s",
                w->model->runs->program->name, str_text(&at), w->measured, w->predicted,
                w->machine->id, 100 * (w->predicted / w->measured - 1), w->samples,
                plural(w->samples), w->runs, plural(w->runs));
    str_done(&at);
    program_say_memory(result, w->day);
    if (blamed_pages(&w->system, w->measured, w->predicted))
        result_line(
            result,
            "Most of the difference is system time, due to page faults. Remaining difference:");
    result_line(result, "%s", w->sentence);
    say_system(result, w);
    result_number(result, "measured", w->measured);
    result_number(result, "predicted", w->predicted);
    result_number(result, "elsewhere", w->elsewhere);
    result_text(result, "sentence", w->sentence);
    struct result_table *t = RESULT_TABLE(result, "parts", columns);
    for (size_t i = 0; i < w->parts.count; i++) {
        const struct blamed_part *b = &w->parts.items[i];
        cell_text(t, b->name);
        cell_count_if(t, b->line, b->line);
        cell_number(t, b->predicted);
        cell_number(t, b->measured);
        cell_number(t, b->off);
        cell_number(t, b->measured - b->predicted);
        cell_number(t, b->core);
        cell_number(t, b->alone);
        cell_text(t, b->term);
        cell_text(t, b->unmeasured ? b->unmeasured : "");
        if (b->unmeasured)
            result_line(result, "%s could not be measured outside the program: %s", b->name,
                        b->unmeasured);
    }
    if (w->elsewhere >= SHOWN * w->measured)
        result_line(result,
                    "%.4f s were spent in libraries or in other code outside the listed parts",
                    w->elsewhere);
    if (w->different)
        result_line(result,
                    "%s is compiled differently without counters: no part includes its time",
                    w->different);
    return true;
}

static void blaming_free(void *state)
{
    struct blaming_program *w = state;
    for (size_t i = 0; i < w->parts.count; i++)
        blamed_part_done(&w->parts.items[i]);
    vec_done(&w->parts);
    machine_free(w->machine);
    program_model_free(w->model);
    invocation_done(&w->how);
    free(w->different);
    free(w->sentence);
    free(w);
}

static bool prepare_blame(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"runs the program", blame_run, blame_finish, blaming_free,
                                        .failed = program_show_failed, .listed = TASK_LISTED,
                                        .measures = true};
    const struct program_blame_values *v = values;
    const struct program_model *m = program_fitted(s, err);

    if (!m)
        return false;
    if (!m->runs->program->untraced)
        return err_set(
            err, ERR_USAGE, "load the program's sources with program load",
            "%s was not compiled by program load, so it has no version without counters to measure",
            m->runs->program->name);
    struct blaming_program *w = mem_zero(1, sizeof *w);
    w->model = program_model_hold(m);
    w->how = invocation_copy(&s->document.program.how);
    w->limit = v->limit;
    const struct machine *machine =
        program_machine(s, v->machine ? v->machine : HERE_NAME, &w->here, err);
    w->machine = machine ? machine_copy(machine) : NULL;
    if (machine && program_inputs_given(m, &v->inputs, w->inputs, err)) {
        program_show_put_off(s);
        return task_give(task, &ops, w);
    }
    blaming_free(w);
    return false;
}

const struct command command_program_blame = {
    .name = "program blame",
    .help = "find the part with the largest prediction error, and the cause",
    .description =
        "The program is run without counters and sampled as by program profile, which yields the "
        "time of each part. The loops with the largest differences are measured outside the "
        "program, with data in the first-level cache. A difference outside the program is due to "
        "ports or a chain; a difference only in the program is due to misses, mispredicted "
        "branches or calls. program open BLOCK and kernel blame find the instruction.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "INPUT=VALUE", struct program_blame_values, inputs),
         .fallback = "the values of the last run", .help = "value of each input for the run"}),
    .options = PARAMETERS(
        MACHINE_OPTION(program_blame_values, "this CPU's machine",
                       "machine whose tables are used for the prediction"),
        {PARAMETER(DURATION, "--limit", struct program_blame_values, limit), .value = "T",
         .least = 0.001, .most = 1e6, .initial = "60",
         .help = "time limit of a run; the command fails if a run exceeds it"}),
    .examples = EXAMPLES("program blame N=1000", "program blame N=1000 --machine skylake"),
    .values_size = sizeof(struct program_blame_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_blame,
};
