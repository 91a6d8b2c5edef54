/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands program load and program run: build programs, and run them with small inputs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/task.h"
#include "program/program.h"
#include "program/basis.h"
#include "program/derived.h"
#include "program/sizes.h"
#include "program/study.h"
#include "toolchain/compile.h"
#include "work/job.h"

struct program_load_values {
    const char *file, *arguments, *template, *input, *untraced;
    bool allow_exit;
    struct word_list words, defines;
};

struct program_loading {
    char *name, *untraced;
    struct invocation how;
    VEC(char *) words;
    bool built;                         /* whether the file is already an executable */
    double begun;
    const struct program *program;
};

static bool loading_cancelled(void *state)
{
    const struct program_loading *l = state;
    job_progress(clock_seconds() - l->begun, 0, "compiling for %.1f s", clock_seconds() - l->begun);
    return job_cancelled(NULL);
}

static bool load_run(void *state, struct result *result, struct err *err)
{
    struct program_loading *l = state;

    l->begun = clock_seconds();
    child_watch(loading_cancelled, l);
    const char *const *words = (const char *const *)l->words.items;
    l->program = l->built ? program_open_both(l->name, l->untraced, err)
                 : l->how.defines
                     ? program_build_sized(words, l->words.count, l->name, &l->how, err)
                     : program_build(words, l->words.count, l->name, err);
    child_watch(NULL, NULL);
    return l->program != NULL;
}

/* Appends a run command to @out: with the inputs that are macros, or with N. The sizes of macros
 * are large and have the same remainders, so the compiler generates the same blocks for them. */
static void suggest_run(const struct invocation *how, struct str *out)
{
    str_add(out, "program run");
    for (const char *at = how->defines; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, "=");
        bool again = false;
        for (const char *before = how->defines; before < at; before += strcspn(before, " ") + 1)
            again |= strncmp(before, at, length + 1) == 0;
        if (!again)
            str_addf(out, " %.*s=160,192,224,256", (int)length, at);
        at += strcspn(at, " ");
    }
    str_add(out, how->defines ? "" : " N=16,32,64,128");
}

static bool load_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct program_loading *l = state;
    struct program_state *p = &s->document.program;
    const struct program *program = l->program;
    struct str run = {0};

    program_state_done(p);
    *p = (struct program_state){.program = program, .how = l->how};
    l->program = NULL;
    l->how = (struct invocation){0};
    result_set_confirmation(result);
    suggest_run(&p->how, &run);
    result_line(result,
                "%s: %zu file%s, %zu function%s, %zu block%s, %zu memory reference%s; run it with "
                "%s",
                program->name, program->unit_count, plural(program->unit_count),
                program->function_count, plural(program->function_count), program->block_count,
                plural(program->block_count), program->reference_count,
                plural(program->reference_count), str_text(&run));
    str_done(&run);
    result_text(result, "program", program->name);
    result_count(result, "files", (int64_t)program->unit_count);
    result_count(result, "functions", (int64_t)program->function_count);
    result_count(result, "blocks", (int64_t)program->block_count);
    result_count(result, "references", (int64_t)program->reference_count);
    return true;
}

static void loading_free(void *state)
{
    struct program_loading *l = state;
    vec_free_texts(&l->words);
    free(l->name);
    invocation_done(&l->how);
    free(l->untraced);
    program_free(l->program);
    free(l);
}

/* Accepts sources, libraries, and options that affect the generated code. Rejects all other
 * options. Returns false with err for such an option. */
static bool words_allowed(const struct word_list *words, struct err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        bool takes_next = false,
             library = word[0] == '-' && (word[1] == 'l' || word[1] == 'L') && word[2];
        if (word[0] == '-' && !library && !compile_option_allowed(word, &takes_next, err))
            return false;
        i += takes_next;
    }
    return true;
}

/* Joins words such as "N=SIZE" with blanks. Returns false with err for another word. */
static bool read_defines(const struct word_list *words, struct str *out, struct err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i], *equals = strchr(word, '=');
        bool ok = equals && equals > word && equals[1];
        for (const char *at = word; ok && *at; at++)
            ok = at == equals || isalnum((unsigned char)*at) || *at == '_';
        if (!ok)
            return err_set(err, ERR_USAGE, "write INPUT=MACRO, as in N=SIZE",
                           "invalid definition \"%s\"", word);
        str_addf(out, "%s%s", i ? " " : "", word);
    }
    return true;
}

static bool prepare_load(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"compiles", load_run, load_finish, loading_free,
                                        .listed = TASK_LISTED};
    const struct program_load_values *v = values;
    struct program_loading *l;
    struct str defines = {0};

    if (!words_allowed(&v->words, err))
        return false;
    if (v->untraced && !program_is_built(v->file))
        return err_set(err, ERR_USAGE,
                       "omit --untraced: portolan-cc builds sources with and without counters",
                       "--untraced applies only to executables linked by portolan-cc");
    if (!read_defines(&v->defines, &defines, err)) {
        str_done(&defines);
        return false;
    }
    if (defines.length && program_is_built(v->file)) {
        str_done(&defines);
        return err_set(err, ERR_USAGE, "give the sources of the program",
                       "--define needs sources, but %s is an executable", v->file);
    }
    l = mem_zero(1, sizeof *l);
    l->name = mem_strdup(v->file);
    l->how = invocation_copy(&(struct invocation){(char *)(uintptr_t)v->arguments,
                                                  (char *)(uintptr_t)v->template,
                                                  (char *)(uintptr_t)v->input,
                                                  defines.length ? defines.data : NULL,
                                                  v->allow_exit});
    str_done(&defines);
    l->untraced = mem_strdup(v->untraced);
    l->built = program_is_built(v->file);
    vec_push(&l->words, mem_strdup(v->file));
    for (size_t i = 0; i < v->words.count; i++)
        vec_push(&l->words, mem_strdup(v->words.items[i]));
    return task_give(task, &ops, l);
}

const struct command command_program_load = {
    .name = "program load",
    .help = "compile a program with counters and traces",
    .description = "Compiles and links with portolan-cc, which counts block executions and traces "
                   "memory references after optimisation. Executables that a Makefile built with "
                   "CC=portolan-cc can also be loaded.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct program_load_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "C, C++ or Fortran source, or an executable linked by portolan-cc"},
        {PARAMETER(WORDS, "WORD", struct program_load_values, words), .complete = COMPLETE_FILE,
         .help = "more sources, compiler options (-O*, -m*, -std=, -D, -U, -I, -W* and "
                 "code-generating -f options) and libraries (-l, -L)"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--arguments", struct program_load_values, arguments), .value = "TEXT",
         .fallback = "the inputs in order",
         .help = "words of the program's command line: {NAME} is an input, {directory} the run's "
                 "directory"},
        {PARAMETER(WORDS, "--define", struct program_load_values, defines), .value = "INPUT=MACRO",
         .help = "INPUT is the value of MACRO in the sources, as in N=SIZE; the program is "
                 "compiled for each value of the input; an input can be the value of several "
                 "macros"},
        {PARAMETER(TEXT, "--template", struct program_load_values, template), .value = "FILE",
         .complete = COMPLETE_FILE,
         .help = "template of an input file, with {NAME} for an input; each run gets the completed "
                 "file under the same name in {directory}"},
        {PARAMETER(TEXT, "--stdin", struct program_load_values, input), .value = "FILE",
         .fallback = "empty", .complete = COMPLETE_FILE,
         .help = "file for standard input of each run; {NAME} stands for an input"},
        {PARAMETER(FLAG, "--allow-exit", struct program_load_values, allow_exit),
         .help = "accept every exit status of a run"},
        {PARAMETER(TEXT, "--untraced", struct program_load_values, untraced), .value = "FILE",
         .complete = COMPLETE_FILE,
         .help = "for an executable: the same program built without counters, for program "
                 "validate"}),
    .examples = EXAMPLES("program load data/programs/matmul.c -O3",
                         "program load main.c part.c -O2 -lm --arguments '{N} 10'",
                         "program load ./solver --template case.txt --arguments "
                         "'{directory}/case.txt'"),
    .values_size = sizeof(struct program_load_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_load,
};

struct run_values {
    struct word_list inputs;
    const char *mode, *counts;
    double limit;
    size_t most;
};

struct running {
    const struct program *loaded;
    const struct program *program;      /* the loaded program, or a program built for the largest
                                         * input */
    struct invocation how;
    struct program_inputs inputs;
    struct run_options options;
    enum count_fit fit;
    size_t at;
    struct str omitted;                 /* inputs for which the compiler generates other blocks */
    struct program_runs *runs;
    const struct program_model *model;
};

static bool running_cancelled(void *state)
{
    const struct running *r = state;
    job_progress((double)r->at, (double)r->inputs.count + 1, "run %zu of %zu", r->at + 1,
                 r->inputs.count);
    return job_cancelled(NULL);
}

static bool fitting_goes_on(void *state, double share)
{
    const struct running *r = state;
    job_progress((double)r->inputs.count + share, (double)r->inputs.count + 1, "fitting");
    return !job_cancelled(NULL);
}

static bool differ(const struct program_runs *runs, size_t a, size_t b)
{
    size_t bytes = runs->program->block_count * sizeof(double);
    return memcmp(runs->runs.items[a].counts, runs->runs.items[b].counts, bytes) != 0;
}

static bool anything_changes(const struct program_runs *runs)
{
    for (size_t r = 1; r < runs->runs.count; r++)
        if (differ(runs, 0, r))
            return true;
    return runs->runs.count < 2;
}

/* Returns the index in inputs.values of the combination with the largest sum of values. */
static size_t largest(const struct program_inputs *inputs)
{
    size_t at = 0;
    double most = -INFINITY;

    for (size_t r = 0; r < inputs->count; r++) {
        double sum = 0;
        for (size_t i = 0; i < inputs->name_count; i++)
            sum += inputs->values[r * inputs->name_count + i];
        at = sum > most ? r : at;
        most = fmax(most, sum);
    }
    return at * inputs->name_count;
}

/* Rejects inputs from which the program would read another number. For example, atoi reads 5.5 as
 * 5. */
static bool reads_inputs(const struct running *r, struct err *err)
{
    const struct program_inputs *in = &r->inputs;

    for (size_t k = 0; k < in->count; k++) {
        const double *inputs = in->values + k * in->name_count;
        const size_t i = derived_misread(r->program, &r->how, in->names, inputs, in->name_count);
        if (i < in->name_count)
            return err_set(err, ERR_USAGE, "use whole numbers of at least 0",
                           "%s=%g: the program reads this input as a whole number, %s",
                           in->names[i], inputs[i],
                           inputs[i] < 0 ? "and a size cannot be negative"
                                         : "but the value is not a whole number");
    }
    return true;
}

/* Returns whether all inputs of --define have a value. Otherwise sets err, which names the first
 * input without a value. */
static bool has_macros(const struct running *r, struct err *err)
{
    for (const char *at = r->how.defines; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, "=");
        bool given = false;
        for (size_t i = 0; i < r->inputs.name_count; i++)
            given |= strlen(r->inputs.names[i]) == length &&
                     strncmp(r->inputs.names[i], at, length) == 0;
        if (!given)
            return err_set(err, ERR_USAGE, "give its values, as in N=160,192,224,256",
                           "input %.*s of --define has no value", (int)length, at);
        at += strcspn(at, " ");
    }
    return true;
}

/* Removes the inputs for which the compiler generates other blocks than for the largest ones.
 * Returns false with err if a build fails or only the largest inputs are left. */
static bool omit_others(struct running *r, struct err *err)
{
    struct program_inputs *in = &r->inputs;
    const size_t width = in->name_count, all = in->count;
    bool same;

    in->count = 0;
    for (size_t k = 0; k < all; k++) {
        const double *at = in->values + k * width;
        if (!program_has_shape(r->program, &r->how, in->names, at, width, &same, err))
            return false;
        if (same) {
            memmove(in->values + in->count++ * width, at, width * sizeof *at);
            continue;
        }
        str_add(&r->omitted, r->omitted.length ? "; " : "");
        program_inputs_print(in->names, at, width, &r->omitted);
    }
    return in->count > 1 || all == 1 ||
           err_set(err, ERR_DATA, SIZES_REMEDY,
                   "the compiler generates other blocks for %s than for the largest size",
                   str_text(&r->omitted));
}

static bool run_run(void *state, struct result *result, struct err *err)
{
    struct running *r = state;
    bool ok = true;

    child_watch(running_cancelled, r);
    ok = has_macros(r, err) &&
         (r->program = program_rebuilt(r->loaded, &r->how, r->inputs.names,
                                       r->inputs.values + largest(&r->inputs), r->inputs.name_count,
                                       err)) != NULL &&
         reads_inputs(r, err) && omit_others(r, err);
    if (ok)
        r->runs = program_runs_new(r->program, r->inputs.names, r->inputs.name_count);
    for (r->at = 0; ok && r->at < r->inputs.count; r->at++)
        ok = program_runs_add(r->runs, r->inputs.values + r->at * r->inputs.name_count, &r->options,
                              err);
    child_watch(NULL, NULL);
    if (ok && !anything_changes(r->runs))
        ok = err_set(err, ERR_DATA,
                     "program load --arguments sets where the program reads its inputs",
                     "the inputs have no effect: every block has the same count in all runs");
    r->model = ok ? program_model_new(r->runs, r->fit, fitting_goes_on, r, err) : NULL;
    return r->model != NULL;
}

static void add_runs(struct result *result, const struct program_runs *runs)
{
    struct result_column columns[INPUTS_MAX + 5];
    size_t n = runs->name_count;

    for (size_t i = 0; i < n; i++)
        columns[i] = (struct result_column){
            .key = runs->names[i], .kind = CELL_NUMBER, .decimals = SHORTEST};
    columns[n] =
        (struct result_column){.key = "blocks_run", .title = "distinct blocks", .kind = CELL_COUNT};
    columns[n + 1] = (struct result_column){
        .key = "executions", .title = "block executions", .kind = CELL_NUMBER, .decimals = 0};
    columns[n + 2] = (struct result_column){
        .key = "references", .title = "loads and stores", .kind = CELL_NUMBER, .decimals = 0};
    columns[n + 3] = (struct result_column){
        .key = "page_faults", .title = "page faults", .kind = CELL_NUMBER, .decimals = 0};
    columns[n + 4] =
        (struct result_column){.key = "seconds", .unit = "s", .kind = CELL_NUMBER, .decimals = 3};
    struct result_table *t = result_table(result, "runs", columns, n + 5);
    for (size_t r = 0; r < runs->runs.count; r++) {
        const struct program_run *run = &runs->runs.items[r];
        double executions = 0, references = 0;
        size_t active = 0;
        for (size_t b = 0; b < runs->program->block_count; b++) {
            executions += run->counts[b];
            active += run->counts[b] > 0;
        }
        for (size_t i = 0; i < runs->program->reference_count; i++)
            references += run->references[i].references;
        for (size_t i = 0; i < n; i++)
            cell_number(t, run->inputs[i]);
        cell_count(t, (int64_t)active);
        cell_number(t, executions);
        if (run->mode == TRACE_COUNTS)
            cell_missing(t);
        else
            cell_number(t, references);
        cell_number(t, run->faults);
        cell_number(t, run->seconds);
    }
}

/* Returns the name of a function that starts other programs and was called in a run; NULL: none. */
static const char *starts_processes(const struct program_runs *runs)
{
    static const char *const names[] = {"vfork", "posix_spawn", "posix_spawnp", "system", "popen",
                                        "execl", "execlp",      "execv",        "execvp", "execve"};
    const struct program *p = runs->program;

    for (size_t b = 0; b < p->block_count; b++) {
        bool ran = false;
        for (size_t r = 0; r < runs->runs.count; r++)
            ran |= runs->runs.items[r].counts[b] > 0;
        for (size_t k = 0; ran && k < p->blocks[b].call_count; k++)
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (strcmp(p->blocks[b].calls[k], names[i]) == 0)
                    return names[i];
    }
    return NULL;
}

/* Reports how many counts depend on the inputs, which inputs affect no count, and how counts
 * outside the runs are predicted. Also reports a called function that starts other programs. */
static void add_findings(struct result *result, const struct program_model *m)
{
    const struct program_runs *runs = m->runs;
    size_t bases[COUNT_ESTIMATE + 1] = {0}, varying = 0, active = 0, bred = 0, networks = 0;
    double beyond[INPUTS_MAX] = {0};

    for (size_t r = 0; r < runs->runs.count; r++)
        for (size_t i = 0; i < runs->name_count; i++)
            beyond[i] = fmax(beyond[i], 2 * runs->runs.items[r].inputs[i]);
    for (size_t b = 0; b < runs->program->block_count; b++) {
        const struct formula *f = program_model_count(m, b);
        active += f->count > 0;
        varying += f->count > 0 && formula_degree(f, runs->name_count) > 0;
        if (f->count > 0)
            bases[count_basis_of(m, b, beyond)]++;
        bred += f->code_length > 0;
        networks += f->network != NULL;
    }
    result_line(result, "%zu block%s %s executed; the counts of %zu of them depend on the inputs",
                active, plural(active), active == 1 ? "is" : "are", varying);
    result_line(result,
                "extrapolated counts: %zu follow from the code, %zu are formulas that fit every "
                "run, %zu are estimates",
                bases[COUNT_CODE], bases[COUNT_FITS], bases[COUNT_ESTIMATE]);
    result_count(result, "active", (int64_t)active);
    result_count(result, "varying", (int64_t)varying);
    result_count(result, "exact", (int64_t)bases[COUNT_CODE]);
    result_count(result, "fitting", (int64_t)bases[COUNT_FITS]);
    if (bred)
        result_line(result,
                    "%zu count%s that regression does not predict %s modelled by expressions found "
                    "by genetic programming",
                    bred, plural(bred), bred == 1 ? "is" : "are");
    result_count(result, "bred", (int64_t)bred);
    if (networks)
        result_line(result,
                    "%zu count%s that regression does not predict %s modelled by neural networks: "
                    "do not extrapolate these counts",
                    networks, plural(networks), networks == 1 ? "is" : "are");
    result_count(result, "networks", (int64_t)networks);
    const char *starts = starts_processes(runs);
    if (starts)
        result_line(result,
                    "%s() starts other programs, which are neither counted nor predicted; measured "
                    "times include them",
                    starts);
    for (size_t i = 0; i < runs->name_count; i++) {
        bool moved = false, mattered = false;
        for (size_t a = 0; a < runs->runs.count; a++)
            for (size_t b = a + 1; b < runs->runs.count; b++) {
                bool alone = runs->runs.items[a].inputs[i] != runs->runs.items[b].inputs[i];
                for (size_t k = 0; k < runs->name_count; k++)
                    alone &=
                        k == i || runs->runs.items[a].inputs[k] == runs->runs.items[b].inputs[k];
                moved |= alone;
                mattered |= alone && differ(runs, a, b);
            }
        if (moved && !mattered)
            result_line(result, "input %s has no effect: no block count depends on it",
                        runs->names[i]);
    }
}

static bool run_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct running *r = state;
    struct program_state *p = &s->document.program;

    add_runs(result, r->runs);
    if (r->omitted.length)
        result_line(result,
                    "omitted: %s; the compiler generates other blocks for them than for the "
                    "largest size; " SIZES_REMEDY,
                    str_text(&r->omitted));
    result_text(result, "omitted_inputs", str_text(&r->omitted));
    add_findings(result, r->model);
    if (p->program != r->loaded)
        return true;   /* Drops the result, because another program was loaded in the meantime. */
    program_free(p->program);
    p->program = r->program;
    r->program = NULL;
    program_runs_free(p->runs);
    program_model_free(p->model);
    study_free(p->study);
    p->study = NULL;
    p->measured.list.count = 0;
    p->runs = r->runs;
    p->model = r->model;
    r->runs = NULL;
    r->model = NULL;
    if (s->interactive)
        program_show_quietly(s);
    return true;
}

static void running_free(void *state)
{
    struct running *r = state;
    program_inputs_done(&r->inputs);
    str_done(&r->omitted);
    program_runs_free(r->runs);
    program_model_free(r->model);
    program_free(r->program);
    program_free(r->loaded);
    invocation_done(&r->how);
    free(r);
}

static bool prepare_run_command(struct session *s, const void *values, struct task *task,
                                struct err *err)
{
    static const struct task_ops ops = {"runs", run_run, run_finish, running_free,
                                        .listed = TASK_LISTED, .measures = true};
    const struct run_values *v = values;
    const struct program_state *p = &s->document.program;

    if (!p->program)
        return err_set(err, ERR_USAGE, "use program load FILE", "no program is loaded");
    struct running *r = mem_zero(1, sizeof *r);
    if (!program_inputs_read(&v->inputs, v->most, &r->inputs, err)) {
        running_free(r);
        return false;
    }
    r->loaded = program_hold(p->program);
    r->how = invocation_copy(&p->how);
    r->options = (struct run_options){
        r->how,
        v->mode[0] == 'e' ? TRACE_EXACT : v->mode[0] == 's' ? TRACE_SAMPLED : TRACE_COUNTS,
        v->limit,
        (size_t)64 << 30,
        0,
        1,
        NULL};
    r->fit = v->counts[0] == 'g'   ? COUNTS_GENETIC
             : v->counts[0] == 'n' ? COUNTS_NETWORK
                                   : COUNTS_REGRESSION;
    return task_give(task, &ops, r);
}

const struct command command_program_run = {
    .name = "program run",
    .help = "run the program on small inputs, and fit formulas of the inputs to its execution "
            "counts",
    .description =
        "Each run counts executions of blocks and records the reuse distance of every memory "
        "reference. Inputs are numbers on the program's command line, in this order unless program "
        "load --arguments sets another order. The program runs in the current directory and must "
        "end with status 0. Earlier runs are replaced. Counts that do not follow from the code are "
        "fitted by regression, with the Akaike criterion at left-out values. With eight runs or "
        "more, --counts selects the PPT-AMMP paper's method for counts whose formula mispredicts "
        "left-out runs by more than 2 %. Four or five values of each input are enough for "
        "formulas. Values that are not multiples of the vector width show the cost of remainders. "
        "With many inputs --most limits the combinations; choose first values that are not "
        "multiples of the vector width.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "INPUT=VALUES", struct run_values, inputs), .required = true,
         .help = "input and its values, such as N=16,32,64; with several inputs, all combinations "
                 "are run"}),
    .options = PARAMETERS(
        {PARAMETER(CHOICE, "--mode", struct run_values, mode), .choices = "exact|sampled|counts",
         .initial = "exact",
         .help = "record reuse distances of all lines, of one line in 32, or only block counts"},
        {PARAMETER(CHOICE, "--counts", struct run_values, counts),
         .choices = "genetic|nalu|regression", .initial = "regression",
         .help = "model of counts that regression predicts badly: regression itself, or the "
                 "PPT-AMMP paper's genetic programming or neural arithmetic logic unit"},
        {PARAMETER(DURATION, "--limit", struct run_values, limit), .value = "T", .least = 0.001,
         .most = 1e6, .initial = "60",
         .help = "time limit of each run; the command fails if a run exceeds it"},
        {PARAMETER(COUNT, "--most", struct run_values, most), .value = "N", .least = 1,
         .most = 4096, .fallback = "all combinations",
         .help = "maximum number of runs: each input is varied while the others have their first "
                 "values, then other combinations are run"}),
    .examples = EXAMPLES("program run N=16,32,64,128",
                         "program run N=100,200,300 STEPS=1,2,4 --mode counts --limit 5m",
                         "program run nx=4,6,8 ny=4,6,8 ng=2,3,4 steps=1,2,3 --most 40"),
    .values_size = sizeof(struct run_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_run_command,
};
