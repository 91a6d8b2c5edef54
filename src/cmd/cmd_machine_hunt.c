/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/vec.h"
#include "base/watch.h"
#include "cmd/check.h"
#include "cmd/command.h"
#include "cmd/lab_findings.h"
#include "cmd/task.h"
#include "hunt/hunt.h"
#include "io/llvm_mca.h"
#include "measure/kernel_set.h"
#include "work/job.h"

#define SECONDS 120
#define FORMS 1000            /* default number of forms from which blocks are drawn: the most
                               * frequent forms */
#define CPU_TOLERANCE 0.15    /* largest relative error that is no finding, if the reference is this
                               * CPU */
/* largest relative error that is no finding, if the reference is another machine or llvm-mca */
#define MODEL_TOLERANCE 0.05
#define CPU_ROUND 48          /* number of blocks per round */
#define MODEL_ROUND 512
#define CPU_DRAWS 10
#define MUTANTS 4             /* one of MUTANTS blocks is a changed copy of an earlier block */
#define LLVM "llvm-mca"       /* --against value that selects llvm-mca; ":CPU" may follow */
#define MODEL_DRAWS 24

/* State of the job of machine hunt. The worker draws, times and predicts blocks; the UI thread
 * shows the result. */
struct machine_hunting {
    struct machine *machine;      /* the job's copy of the tested machine */
    /* a copy of the reference machine; NULL: the reference is LLVM's model or this CPU */
    struct machine *against;
    char *llvm;                   /* CPU of llvm-mca's model; NULL: none */
    bool against_simulated;
    enum isa isa;                 /* instruction set of both sides */
    struct forms *forms;
    size_t most;                  /* maximum number of forms to draw from */
    struct block_forms drawn;
    struct hunt_options options;
    double tolerance, seconds, until;
    struct model *knows;          /* model of @machine, from whose forms blocks are drawn */
    struct model *truth;          /* model of @against, which gives the times; NULL: the CPU or
                                   * llvm-mca gives them */
    struct sandbox *sandbox;
    struct calibration calibration;
    struct hunt *hunt;
    struct stage_log *log;
};

/* Returns whether the job compares the machine with measurements on this CPU. */
static bool measures(const struct machine_hunting *w)
{
    return !w->against && !w->llvm;
}

/* Returns whether the hunt was cancelled or its time has passed. */
static bool over(void *state)
{
    return job_cancelled(NULL) || clock_seconds() >= ((struct machine_hunting *)state)->until;
}

static bool predictable(void *state, const struct insn *in)
{
    struct machine_hunting *w = state;
    struct random_block alone = {.count = 1};

    alone.insns[0] = *in;
    return isfinite(model_cycles(w->knows, &alone)) &&
           (!w->truth || isfinite(model_cycles(w->truth, &alone)));
}

static bool times_of_model(void *state, const struct random_block *blocks, size_t n, double *cycles,
                           struct err *err)
{
    for (size_t i = 0; i < n; i++)
        cycles[i] = model_cycles(((struct machine_hunting *)state)->truth, &blocks[i]);
    return true;
}

static const struct insn *code_of(const void *blocks, size_t i, size_t *count)
{
    const struct random_block *b = (const struct random_block *)blocks + i;

    *count = b->count;
    return b->insns;
}

static const struct insn *cached_code_of(const void *blocks, size_t i, size_t *count,
                                         enum kernel_copies *kind)
{
    *kind = KERNEL_CACHED;
    return code_of(blocks, i, count);
}

static bool times_of_cpu(void *state, const struct random_block *blocks, size_t n, double *cycles,
                         struct err *err)
{
    struct machine_hunting *w = state;
    return kernel_set_times(w->sandbox, &w->calibration, cached_code_of, blocks, n,
                            w->until - clock_seconds(), cycles, err);
}

/* Predicts the cycles of the blocks of a round with llvm-mca. After the time limit or a
 * cancellation, stores NaN for the blocks without a result. */
static bool times_of_llvm(void *state, const struct random_block *blocks, size_t n, double *cycles,
                          struct err *err)
{
    struct machine_hunting *w = state;

    child_watch(over, w);
    bool ok = llvm_mca_times(w->isa, w->llvm, code_of, blocks, n, cycles, err);
    child_watch(NULL, NULL);
    return ok || over(w);
}

/* Lists the findings: the smallest blocks, and changes of the machine that explain the errors. */
static void list_findings(struct machine_hunting *w, const struct hunt *h)
{
    struct stage_finding *blocks = mem_zero(STAGE_FINDINGS, sizeof *blocks),
                         *changes = mem_zero(STAGE_FINDINGS, sizeof *changes);
    struct str text = {0};
    char title[96];

    for (size_t i = 0; i < h->count && i < STAGE_FINDINGS; i++) {
        const struct hunt_finding *f = &h->findings[i];
        str_clear(&text);
        block_print(&f->pattern.block, "; ", &text);
        snprintf(blocks[i].what, sizeof blocks[i].what, "%s", str_text(&text));
        str_clear(&text);
        pattern_print(&f->pattern, &text);
        snprintf(changes[i].what, sizeof changes[i].what, "%s", str_text(&text));
        str_clear(&text);
        if (f->change.name)
            change_print(&f->change, &text);
        snprintf(changes[i].note, sizeof changes[i].note, "%s", str_text(&text));
        blocks[i].measured = changes[i].measured = f->truth;
        blocks[i].predicted = changes[i].predicted = f->predicted;
    }
    stage_log_list(w->log, STAGE_WORST, "smallest blocks that differ", blocks, h->count);
    snprintf(title, sizeof title, "%.40s: %zu finding%s", w->machine->id, h->count,
             plural(h->count));
    stage_log_list(w->log, STAGE_DIFFERENCES, title, changes, h->count);
    str_done(&text);
    free(blocks);
    free(changes);
}

static void progress(void *state, const struct hunt *so_far)
{
    struct machine_hunting *w = state;
    double left = w->until - clock_seconds();
    const double done = w->options.blocks ? (double)(so_far->sampled + so_far->mutants)
                                          : w->seconds - fmax(0, left),
                 total = w->options.blocks ? (double)w->options.blocks : w->seconds;
    char what[96];

    snprintf(what, sizeof what, "%zu finding%s; differences: %zu of %zu blocks", so_far->count,
             plural(so_far->count), so_far->differ, so_far->sampled);
    job_progress(done, total, "%s", what);
    stage_log_step(w->log, done, total,
                   so_far->sampled ? (double)so_far->differ / (double)so_far->sampled : NAN, what);
    list_findings(w, so_far);
}

static bool prepare_cpu(struct machine_hunting *w, struct err *err)
{
    w->sandbox = sandbox_new(-1, err);
    if (!w->sandbox || !calibrate(w->sandbox, job_cancelled, NULL, &w->calibration, err))
        return false;
    sandbox_cancel_by(w->sandbox, job_cancelled, NULL);
    return true;
}

/* Returns whether blocks may contain the form: any form if the reference is a model, otherwise a
 * form that can be measured on this CPU. */
static bool is_drawn(const void *state, const struct form_row *row)
{
    char why[96];
    return !measures(state) || !form_measurable(row, why, sizeof why);
}

static bool choose_forms(struct machine_hunting *w, struct err *err)
{
    return block_forms_choose(w->forms, w->most, is_drawn, w, &w->drawn, err) &&
           (w->drawn.count || err_set(err, ERR_DATA, "use a larger value of --forms",
                                      "none of the most frequent forms is measurable on this CPU"));
}

static bool hunt_work(void *state, struct result *result, struct err *err)
{
    struct machine_hunting *w = state;
    struct hunt_truth truth = {w->against ? times_of_model
                               : w->llvm  ? times_of_llvm
                                          : times_of_cpu,
                               w, w->tolerance};

    w->knows = model_new(w->machine, false);
    w->truth = w->against ? model_new(w->against, w->against_simulated) : NULL;
    struct block_maker *maker =
        choose_forms(w, err)
            ? block_maker_new(w->isa, w->drawn.items, w->drawn.count, predictable, w, err)
            : NULL;
    if (maker && (!measures(w) || prepare_cpu(w, err))) {
        w->until = clock_seconds() + w->seconds;
        struct watch before = watch_begin(over, w);
        w->hunt = hunt_run(w->machine, maker, &truth, &w->options, err);
        watch_restore(before);
    }
    block_maker_free(maker);
    model_free(w->knows);
    model_free(w->truth);
    sandbox_free(w->sandbox);
    return w->hunt != NULL && watch_goes_on(err);
}

static void add_rows(const struct hunt *h, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "blocks", .kind = CELL_COUNT, .width = 6},
        {.key = "time", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "predicted", .kind = CELL_NUMBER, .decimals = 2, .width = 9},
        {.key = "finding", .kind = CELL_TEXT},
        {.key = "agrees_with", .title = "agrees with", .kind = CELL_TEXT},
        {.key = "block", .kind = CELL_TEXT},
        {.key = "hex", .kind = CELL_TEXT, .hide = NOT_DOCUMENT},
    };
    struct result_table *t = RESULT_TABLE(result, "findings", columns);
    struct str text = {0};

    t->hide = NOT_TEXT;
    for (size_t i = 0; i < h->count; i++) {
        const struct hunt_finding *f = &h->findings[i];
        cell_count(t, (int64_t)f->blocks);
        cell_number(t, f->truth);
        cell_number(t, f->predicted);
        str_clear(&text);
        pattern_print(&f->pattern, &text);
        cell_text(t, str_text(&text));
        str_clear(&text);
        if (f->change.name) {
            change_print(&f->change, &text);
            cell_text(t, str_text(&text));
        } else {
            cell_missing(t);
        }
        str_clear(&text);
        block_print(&f->pattern.block, "; ", &text);
        cell_text(t, str_text(&text));
        str_clear(&text);
        block_hex(&f->pattern.block, &text);
        cell_text(t, str_text(&text));
    }
    str_done(&text);
}

/* Prints the name of the reference: "this CPU", "haswell", "llvm-mca's skylake", or if the two
 * models differ, "skylake, simulated" or "skylake, highest bound". */
static void print_against(const struct machine_hunting *w, struct str *out)
{
    if (w->llvm)
        str_addf(out, "llvm-mca's %s", w->llvm);
    else
        str_add(out, w->against ? w->against->id : "this CPU");
    if (w->against && w->against_simulated != w->options.simulated)
        str_add(out, w->against_simulated ? ", simulated" : ", highest bound");
}

static void show(const struct machine_hunting *w, struct result *result)
{
    const struct hunt *h = w->hunt;
    struct str text = {0}, against = {0};

    print_against(w, &against);
    result_line(result,
                "%s compared with %s: differences above %.0f %%: %zu of %zu blocks; %zu finding%s",
                w->machine->id, str_text(&against), 100 * w->tolerance, h->differ, h->sampled,
                h->count, plural(h->count));
    if (h->mutants)
        result_line(result, "%zu mutation%s of differing blocks also compared", h->mutants,
                    plural(h->mutants));
    if (h->open)
        result_line(result,
                    "not explained yet: %zu of %zu differing blocks; use a larger value of "
                    "--time",
                    h->open, h->kept);
    if (w->llvm && h->untimed)
        result_line(result, "%zu block%s omitted, because llvm-mca lacks one of their instructions",
                    h->untimed, plural(h->untimed));
    if (!h->sampled && measures(w))
        result_line(result, "no block had a stable time; repeat the command when the computer is "
                            "idle");
    else if (!h->sampled && !h->untimed)
        result_line(result,
                    "the time limit was reached during the first blocks: use a larger value of "
                    "--time");
    result_text(result, "machine", w->machine->id);
    result_text(result, "against", str_text(&against));
    result_count(result, "sampled", (int64_t)h->sampled);
    result_count(result, "differ", (int64_t)h->differ);
    result_count(result, "mutants", (int64_t)h->mutants);
    result_count(result, "kept", (int64_t)h->kept);
    result_count(result, "unexplained", (int64_t)h->open);
    if (w->llvm)
        result_count(result, "refused", (int64_t)h->untimed);
    result_number(result, "tolerance", w->tolerance);
    add_rows(h, result);
    for (size_t i = 0; i < h->count; i++) {
        str_clear(&text);
        str_addf(&text, "\n%zu. ", i + 1);
        finding_print(&h->findings[i], &text);
        if (h->findings[i].blocks)
            str_addf(&text, " (%zu of %zu blocks)", h->findings[i].blocks, h->kept);
        else
            str_add(&text, " (only in mutations)");
        str_add(&text, "\n   ");
        block_print(&h->findings[i].pattern.block, "\n   ", &text);
        result_line(result, "%s", str_text(&text));
    }
    str_done(&text);
    str_done(&against);
}

static bool hunt_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct machine_hunting *w = state;

    show(w, result);
    return true;
}

static void hunting_free(void *state)
{
    struct machine_hunting *w = state;
    machine_free(w->machine);
    machine_free(w->against);
    free(w->llvm);
    forms_free(w->forms);
    vec_done(&w->drawn);
    hunt_free(w->hunt);
    if (w->log)
        stage_log_end(w->log);
    stage_log_free(w->log);
    free(w);
}

struct hunt_values {
    const char *machine, *against, *model, *against_model;
    double seconds, tolerance;
    size_t blocks, forms, seed;
};

/* Returns the CPU that "llvm-mca" or "llvm-mca:CPU" selects for @m; NULL if @against has another
 * value. */
static const char *llvm_cpu(const char *against, const struct machine *m)
{
    if (!against || !str_has_prefix(against, LLVM))
        return NULL;
    const char *rest = against + strlen(LLVM);
    return *rest == ':' ? rest + 1 : *rest ? NULL : machine_compiler_name(m);
}

/* Chooses the machine and the reference (a machine, this CPU or llvm-mca), and their instruction
 * set. Returns false with err if they do not fit, or one cannot be used. */
static bool choose_sides(struct session *s, const struct hunt_values *v, struct machine_hunting *w,
                         struct err *err)
{
    bool native = s->document.here.id && s->document.here.isa == isa_host();
    const struct machine *m = v->machine ? session_machine(s, v->machine, err)
                              : native   ? session_machine(s, s->document.here.id, err)
                                         : session_current(s, err);
    const char *llvm = m ? llvm_cpu(v->against, m) : NULL;
    const struct machine *against = !m || llvm         ? NULL
                                    : v->against       ? session_machine(s, v->against, err)
                                    : v->against_model ? m
                                                       : NULL;

    w->isa = isa_host();
    if (!m || (v->against && !against && !llvm))
        return false;
    if (llvm && v->against_model)
        return err_set(err, ERR_USAGE, "omit --against-model",
                       "--against-model does not apply to llvm-mca");
    if (llvm && !llvm_mca_cpu(llvm, err))
        return false;
    if (against && strcmp(against->isa, m->isa) != 0)
        return err_set(err, ERR_USAGE, "give two machines with the same instruction set",
                       "%s is a machine for %s, but %s is a machine for %s", m->id, m->isa,
                       against->id, against->isa);
    if (against || llvm)
        isa_parse(m->isa, &w->isa);   /* Accepts any instruction set, because nothing is
                                       * executed. */
    else if (strcmp(m->isa, isa_name(w->isa)) != 0)
        return err_set(
            err, ERR_USAGE,
            "give a machine with this CPU's instruction set, or compare two machines with "
            "--against",
            "this CPU executes %s, but %s is a machine for %s", isa_name(w->isa), m->id, m->isa);
    w->machine = machine_copy(m);
    w->against = against ? machine_copy(against) : NULL;
    w->llvm = mem_strdup(llvm);
    w->against_simulated = v->against_model ? v->against_model[0] == 's' : v->model[0] == 's';
    return true;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"compares blocks", hunt_work, hunt_finish, hunting_free,
                                        .listed = TASK_LISTED};
    const struct hunt_values *v = values;
    struct machine_hunting *w = mem_zero(1, sizeof *w);
    struct forms *forms = choose_sides(s, v, w, err) ? session_forms(s, w->isa, err) : NULL;
    bool measured = measures(w);

    w->forms = forms ? forms_hold(forms) : NULL;
    w->seconds = v->seconds;
    w->tolerance = isfinite(v->tolerance) ? v->tolerance
                   : measured             ? CPU_TOLERANCE
                                          : MODEL_TOLERANCE;
    w->options = (struct hunt_options){.blocks = v->blocks == NOT_GIVEN ? 0 : v->blocks,
                                       .round = measured ? CPU_ROUND : MODEL_ROUND,
                                       .mutants = MUTANTS,
                                       .draws = measured ? CPU_DRAWS : MODEL_DRAWS,
                                       .seed = v->seed == NOT_GIVEN ? s->settings.seed : v->seed,
                                       .simulated = v->model[0] == 's',
                                       .progress = progress,
                                       .state = w};
    w->most = v->forms;
    if (!forms || (measured && !job_may_measure("machine hunt", false, err))) {
        hunting_free(w);
        return false;
    }
    struct str title = {0};
    str_addf(&title, "hunt: %s compared with ", w->machine->id);
    print_against(w, &title);
    w->log = lab_log_begin(s, str_text(&title), "of the blocks differ");
    str_done(&title);
    task->measures = measured;
    return task_give(task, &ops, w);
}

const struct command command_machine_hunt = {
    .name = "machine hunt",
    .help = "search for errors of a machine's model with random code",
    .description =
        "Random blocks, weighted like the programs of a Debian system, are predicted and measured "
        "on this CPU. Options select another machine, another model or llvm-mca instead of the "
        "measurement. Mutations of blocks that differ are also compared. A block that differs is "
        "reduced to its smallest part that still differs. This part is then generalised to other "
        "forms, registers and addresses. Each finding names the single change of a latency, usage "
        "or fact that removes the difference, if there is one. Findings are sorted by the number "
        "of affected blocks.",
    .options = PARAMETERS(
        MACHINE_OPTION(hunt_values, "this CPU's machine, otherwise the current machine",
                       "machine whose model to test"),
        {PARAMETER(TEXT, "--against", struct hunt_values, against), .value = "ID",
         .fallback = "measure this CPU", .complete = COMPLETE_MACHINE,
         .help = "machine to compare with; llvm-mca: LLVM's model of the machine's CPU; "
                 "llvm-mca:CPU: LLVM's model of another CPU"},
        {PARAMETER(DURATION, "--time", struct hunt_values, seconds), .value = "T", .least = 0.1,
         .most = 864000, .initial = INITIAL(SECONDS), .help = "time limit"},
        {PARAMETER(COUNT, "--blocks", struct hunt_values, blocks), .value = "N", .least = 1,
         .most = 1000000000, .fallback = "until the time limit",
         .help = "number of blocks to compare"},
        {PARAMETER(COUNT, "--forms", struct hunt_values, forms), .value = "N", .least = 1,
         .most = 100000, .initial = INITIAL(FORMS),
         .help = "number of the most frequent forms to use in the blocks"},
        {PARAMETER(NUMBER, "--tolerance", struct hunt_values, tolerance), .value = "X",
         .least = 0.001, .most = 0.9, .fallback = "0.15; with --against 0.05",
         .help = "smallest relative difference to report"},
        {PARAMETER(CHOICE, "--model", struct hunt_values, model), .choices = "bounds|simulate",
         .initial = "bounds", .help = "model: the highest bound, or the simulator"},
        {PARAMETER(CHOICE, "--against-model", struct hunt_values, against_model),
         .choices = "bounds|simulate", .fallback = "the value of --model",
         .help = "model of the other machine; without --against, of the same machine"},
        {PARAMETER(COUNT, "--seed", struct hunt_values, seed), .value = "S",
         .fallback = "the setting seed", .help = "random seed"}),
    .examples = EXAMPLES("machine hunt --time 5m",
                         "machine hunt --machine skylake --against haswell --time 20s",
                         "machine hunt --machine skylake --against llvm-mca --time 1m",
                         "machine hunt --machine skylake --against-model simulate --time 20s"),
    .values_size = sizeof(struct hunt_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB | COMMAND_FORMS,
    .prepare = prepare,
};
