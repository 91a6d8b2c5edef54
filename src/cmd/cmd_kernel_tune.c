/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "base/file.h"
#include "base/path.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "cmd/tune_builds.h"
#include "measure/kernel_set.h"
#include "tune/same.h"
#include "tune/search.h"
#include "work/job.h"

#define TRIES 400
#define INPUTS 64
#define MEASURED 3 /* maximum number of measured versions */
#define SHOWN 8
#define VAIN_SHOWN 4
#define BUILDS_SHOWN 6
#define BUILDS_MEASURED 2
#define BUILD_GAIN 0.01 /* smallest relative gain with which a build is shown */
#define PATIENCE_SECONDS 4.0

struct tune_values {
    const char *machine, *unroll, *export;
    size_t tries, inputs, seed;
    bool reassociate, model_only;
};

/* Measured values of one version. The first element of a list is the original loop. */
struct tuned_result {
    double measured; /* measured cycles per iteration of the original loop; NaN: not measured */
    struct same same;
    bool compared;
};

/* State of the job of kernel tune. The worker searches, compares and measures; the UI thread shows
 * the result. */
struct tuning {
    const struct kernel *kernel; /* counted reference */
    size_t loop;
    struct machine *machine; /* the job's copy of the machine */
    struct tune_options options;
    unsigned inputs;
    bool here; /* whether this CPU can run the loop */
    /* whether --reassociate would allow more accumulators */
    bool would_sum;
    bool compares; /* whether the results of each version are compared with the loop's results */
    const char *export;  /* output file; NULL: none */
    char why[128]; /* reason why versions were not run or measured; empty: none */
    struct tune *tune;
    struct tuned_result versions[SHOWN + 1];
    size_t best; /* index of the best version; 0: the original loop */
    struct tune_builds builds;
    /* measured cycles per iteration of the original loop, per build; NaN: not measured */
    double builds_measured[BUILDS_SHOWN];
    /* index of the best build if it is faster than every version; SIZE_MAX: none */
    size_t build;
    struct str text;           /* text of the best version */
    const struct kernel *made; /* kernel made from @text or from the best build; NULL: none */
    size_t made_loop;
};

static size_t shown(const struct tuning *w)
{
    return w->tune->found.count < SHOWN ? w->tune->found.count : SHOWN;
}

/* Returns the number of builds that are predicted to be faster than the loop by BUILD_GAIN, at most
 * BUILDS_SHOWN. */
static size_t builds_shown(const struct tuning *w)
{
    size_t count = 0;

    while (count < w->builds.list.count && count < BUILDS_SHOWN &&
           w->builds.list.items[count].cycles < w->tune->cycles * (1 - BUILD_GAIN))
        count++;
    return count;
}

/* Compares all shown versions with the loop on random inputs. A version with other results is
 * rejected, because it shows that a table or an ordering rule is wrong. Returns false with err on
 * failure or when cancelled. */
static bool compare_all(struct tuning *w, struct sandbox *s, const struct insn *insns, size_t count,
                        struct err *err)
{
    for (size_t i = 0; i < shown(w); i++) {
        struct tuned_result *v = &w->versions[i + 1];
        job_progress((double)i, (double)shown(w), "candidates compared with the loop");
        if (!watch_goes_on(err))
            return false;
        v->compared = same_try(s, insns, count, w->tune->found.items[i].version, w->inputs,
                               w->options.seed + i, &v->same, err);
        if (!v->compared && err->code != ERR_LIMIT && err->code != ERR_DATA)
            return false;
    }
    *err = (struct err){0};
    return true;
}

/* Returns whether a version may be used: it is the loop itself, a run verified it, or no runs
 * verify versions. */
static bool is_usable(const struct tuning *w, size_t at)
{
    const struct tuned_result *v = &w->versions[at];
    return at == 0 || (!v->same.differs && (!w->compares || v->same.agreed));
}

/* Measures the loop, the best versions and the best builds alternately, because noise then affects
 * all of them equally. Returns false with err on failure. */
static bool measure_best(struct tuning *w, struct sandbox *s, const struct insn *insns,
                         size_t count, struct err *err)
{
    struct calibration calibration;
    struct err fault = {0};

    job_progress(0, 0, "measuring the best versions");
    if (!calibrate(s, job_cancelled, NULL, &calibration, err))
        return false;
    struct kernel_set *set = kernel_set_new(s, &calibration);
    size_t at[SHOWN + 1], of[SHOWN + 1], n = 0;
    of[n] = 0;
    at[n++] = kernel_set_add(set, insns, count);
    for (size_t i = 1; i <= shown(w) && n <= MEASURED; i++)
        if (is_usable(w, i)) {
            const struct version *c = w->tune->found.items[i - 1].version;
            of[n] = i;
            at[n++] = kernel_set_add(set, c->insns, c->count);
        }
    size_t built[BUILDS_MEASURED], builds = 0;
    for (; builds < builds_shown(w) && builds < BUILDS_MEASURED; builds++) {
        const struct tune_build *b = &w->builds.list.items[builds];
        size_t length;
        const struct insn *code = kernel_insns(b->kernel, b->loop, &length);
        built[builds] =
            kernel_refused(code, length, NULL) ? SIZE_MAX : kernel_set_add(set, code, length);
    }
    const bool ok = kernel_set_measure(set, PATIENCE_SECONDS, err);
    for (size_t i = 0; ok && i < builds; i++) {
        double cycles, spread;
        if (built[i] != SIZE_MAX && kernel_set_result(set, built[i], &cycles, &spread, &fault))
            w->builds_measured[i] = cycles / w->builds.list.items[i].times;
    }
    for (size_t i = 0; ok && i < n; i++) {
        double cycles = NAN, spread;
        const unsigned times = of[i] ? w->tune->found.items[of[i] - 1].version->times : 1;
        if (kernel_set_result(set, at[i], &cycles, &spread, &fault))
            w->versions[of[i]].measured = cycles / times;
        else if (i == 0)
            snprintf(w->why, sizeof w->why, "not measured: %.100s", fault.what);
    }
    kernel_set_free(set);
    return ok;
}

/* Runs the versions if this CPU can run the loop. Returns false with err if cancelled. If versions
 * are not run or measured for another reason, @why of @w has the reason. Predictions decide if the
 * loop was not measured. */
static bool run_here(struct tuning *w, const struct insn *insns, size_t count, struct err *err)
{
    struct err fault = {0};
    const char *refused = w->here ? same_refused(insns, count) : NULL;

    if (!w->here || (!shown(w) && !builds_shown(w)))
        return true;
    struct sandbox *s = sandbox_new(-1, &fault);
    if (s)
        sandbox_cancel_by(s, job_cancelled, NULL);
    w->compares = s && !refused;
    if (refused)
        snprintf(w->why, sizeof w->why, "versions not executed: %.90s", refused);
    bool ok = s && (!w->compares || compare_all(w, s, insns, count, &fault)) &&
              (kernel_refused(insns, count, NULL) || measure_best(w, s, insns, count, &fault));
    sandbox_free(s);
    if (!ok && fault.code == ERR_INTERRUPTED) {
        *err = fault;
        return false;
    }
    if (!ok)
        snprintf(w->why, sizeof w->why, "not measured: %.100s", fault.what);
    return true;
}

/* Returns the fastest usable version; 0: the loop itself. If the loop was measured, measured times
 * decide, and a version must be at least 1 % faster. Otherwise predicted times decide. */
static size_t choose(const struct tuning *w)
{
    const bool measured = isfinite(w->versions[0].measured);
    size_t best = 0;

    for (size_t i = 1; i <= shown(w); i++) {
        if (!is_usable(w, i) || (measured && !isfinite(w->versions[i].measured)))
            continue;
        if (!measured)
            return i;
        if (w->versions[i].measured <
            (best ? w->versions[best].measured : w->versions[0].measured * 0.99))
            best = i;
    }
    return best;
}

/* Returns the fastest build if it is faster by BUILD_GAIN than version w->best (0: the loop);
 * SIZE_MAX: none. Compares measured times if that version was measured, otherwise predictions.
 * Builds that change rounding need --reassociate. */
static size_t choose_build(const struct tuning *w)
{
    const bool measured = isfinite(w->versions[w->best].measured);
    size_t best = SIZE_MAX;
    double least = measured  ? w->versions[w->best].measured
                   : w->best ? w->tune->found.items[w->best - 1].cycles
                             : w->tune->cycles;

    least *= 1 - BUILD_GAIN;
    for (size_t i = 0; i < builds_shown(w); i++) {
        const struct tune_build *b = &w->builds.list.items[i];
        const double cycles = measured ? w->builds_measured[i] : b->cycles;
        if (cycles < least && (!b->changes_results || w->options.reassociate)) {
            best = i;
            least = cycles;
        }
    }
    return best;
}

/* Returns whether the text has AT&T syntax, which has a % before each register. */
static bool is_att(const struct insn *insns, size_t count)
{
    bool att = false;
    for (size_t i = 0; i < count; i++)
        att |= insns[i].text && strchr(insns[i].text, '%');
    return att;
}

/* Returns whether the forms are equal. Of branches, compares only the mnemonics, because a longer
 * loop may need a longer displacement. */
static bool same_form(const struct insn *a, const struct insn *b)
{
    return a->traits & b->traits & INSN_BRANCH ? strcmp(a->mnemonic, b->mnemonic) == 0
                                               : strcmp(a->form, b->form) == 0;
}

static bool same_insns(const struct kernel *k, const struct version *c)
{
    size_t count;
    const struct insn *made = kernel_insns(k, 0, &count);
    bool ok = count == c->count;

    for (size_t i = 0; ok && i < count; i++)
        ok =
            same_form(&made[i], &c->insns[i]) && made[i].operand_count == c->insns[i].operand_count;
    return ok;
}

/* Writes the best version as text and as a kernel. Returns false with err if the text does not
 * assemble to the version, or cannot be written. */
static bool write_best(struct tuning *w, const struct insn *insns, size_t count, struct err *err)
{
    const struct version *c = w->tune->found.items[w->best - 1].version;
    const struct kernel_options options = {.isa_given = true,
                                           .isa = w->kernel->isa,
                                           .syntax =
                                               is_att(insns, count) ? SYNTAX_ATT : SYNTAX_INTEL};
    struct str name = {0};

    str_addf(&name, "%s (tuned)", path_base(w->kernel->name));
    version_print(c, path_base(w->kernel->name), is_att(insns, count), &w->text);
    struct kernel *made =
        kernel_from_text(str_text(&name), str_text(&w->text), w->text.length, &options, err);
    str_done(&name);
    if (made && !same_insns(made, c)) {
        kernel_free(made);
        return err_set(err, ERR_DATA, NULL,
                       "the text of the tuned loop assembles to code other than intended");
    }
    if (made)
        made->times = c->times;
    w->made = made;
    return made && (!w->export || file_write(w->export, w->text.data, w->text.length, err));
}

/* Makes the best build the result's kernel, and writes its assembler text, if known, to the file of
 * --export, if given. */
static bool write_build(struct tuning *w, struct err *err)
{
    const struct kernel *k = w->builds.list.items[w->build].kernel;

    w->made = kernel_hold(k);
    w->made_loop = w->builds.list.items[w->build].loop;
    return !w->export || !k->source || file_write(w->export, k->source, strlen(k->source), err);
}

static size_t sums(const struct insn *insns, size_t count, bool reassociate)
{
    struct version *c = version_unroll(insns, count, 2, reassociate);
    const size_t n = c ? c->before.count : 0;

    version_free(c);
    return n;
}

static bool tune_run(void *state, struct result *result, struct err *err)
{
    struct tuning *w = state;
    size_t count;
    const struct insn *insns = kernel_insns(w->kernel, w->loop, &count);

    for (size_t i = 0; i <= SHOWN; i++)
        w->versions[i].measured = NAN;
    for (size_t i = 0; i < BUILDS_SHOWN; i++)
        w->builds_measured[i] = NAN;
    w->build = SIZE_MAX;
    if (!tune_builds_make(w->kernel, w->loop, w->machine, &w->builds, err))
        return false;
    w->tune = tune_new(insns, count, w->machine, &w->options, err);
    if (!w->tune || !run_here(w, insns, count, err))
        return false;
    w->best = choose(w);
    w->would_sum = !w->options.reassociate && w->options.unroll > 1 &&
                   sums(insns, count, true) > sums(insns, count, false);
    w->build = choose_build(w);
    if (w->build != SIZE_MAX)
        return write_build(w, err);
    return !w->best || write_best(w, insns, count, err);
}

static double gain(double cycles, double before)
{
    return 100 * (cycles / before - 1);
}

static void add_code(struct result_table *t, size_t count, bool rounds)
{
    cell_count(t, (int64_t)count);
    cell_text(t, rounds ? "changes results" : "same");
}

static void add_version(struct result_table *t, const struct tuning *w, size_t at)
{
    const struct tuned_result *v = &w->versions[at];
    const struct tuned *found = at ? &w->tune->found.items[at - 1] : NULL;
    const double cycles = found ? found->cycles : w->tune->cycles;
    struct str checked = {0};

    if (found && v->same.differs)
        str_addf(&checked, "different result in %s: rejected", v->same.where);
    else if (found && v->compared && v->same.agreed)
        str_addf(&checked, "%u input%s agree%s", v->same.agreed, plural(v->same.agreed),
                 v->same.agreed == 1 ? "s" : "");
    else if (found)
        str_add(&checked,
                w->compares ? "not executed with any input: rejected" : "dependences only");
    cell_text(t, at == w->best && w->build == SIZE_MAX ? "*" : "");
    cell_number(t, found ? found->version->times : 1);
    cell_number(t, cycles);
    cell_number(t, found ? gain(cycles, w->tune->cycles) : NAN);
    cell_number(t, v->measured);
    cell_number(t, found ? gain(v->measured, w->versions[0].measured) : NAN);
    if (found) {
        add_code(t, found->version->count, found->version->lanes != 0);
    } else {
        size_t count;
        kernel_insns(w->kernel, w->loop, &count);
        add_code(t, count, false);
    }
    cell_text(t, str_text(&checked));
    cell_text(t, found ? str_text(&found->version->what) : "the unchanged loop");
    str_done(&checked);
}

/* Adds a row for @vain, the fastest version of its kind. No version of this kind is faster than the
 * loop. */
static void add_vain(struct result_table *t, const struct tuning *w, const struct tuned *vain)
{
    cell_text(t, "");
    cell_number(t, vain->version->times);
    cell_number(t, vain->cycles);
    cell_number(t, gain(vain->cycles, w->tune->cycles));
    cell_missing(t);
    cell_missing(t);
    add_code(t, vain->version->count, vain->version->lanes != 0);
    cell_text(t, "no gain");
    cell_text(t, str_text(&vain->version->what));
}

static void add_build(struct result_table *t, const struct tuning *w, size_t at)
{
    const struct tune_build *b = &w->builds.list.items[at];

    cell_text(t, at == w->build ? "*" : "");
    cell_number(t, b->times);
    cell_number(t, b->cycles);
    cell_number(t, gain(b->cycles, w->tune->cycles));
    cell_number(t, w->builds_measured[at]);
    cell_number(t, gain(w->builds_measured[at], w->versions[0].measured));
    size_t count;
    kernel_insns(b->kernel, b->loop, &count);
    add_code(t, count, b->changes_results);
    cell_text(t, at < builds_shown(w) ? "compiled" : "no gain");
    cell_text(t, str_text(&b->how));
}

static void add_versions(const struct tuning *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "mark", .title = "", .kind = CELL_TEXT, .width = 1, .hide = NOT_CSV | NOT_JSON},
        {.key = "at_once", .kind = CELL_NUMBER, .decimals = 0, .width = 4, .hide = NOT_TEXT},
        {.key = "simulated", .kind = CELL_NUMBER, .decimals = 2, .width = 9},
        {.key = "gain", .title = "%", .kind = CELL_NUMBER, .decimals = 0, .width = 4},
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "measured_gain", .title = "%", .kind = CELL_NUMBER, .decimals = 0, .width = 4},
        {.key = "instructions", .title = "insns", .kind = CELL_COUNT, .width = 5},
        {.key = "results", .kind = CELL_TEXT, .width = 15},
        {.key = "checked", .kind = CELL_TEXT, .width = 18},
        {.key = "rewrite", .title = "version", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "versions", columns);

    add_version(t, w, 0);
    for (size_t i = 0; i < builds_shown(w); i++)
        add_build(t, w, i);
    for (size_t i = 1; i <= shown(w); i++)
        add_version(t, w, i);
    for (size_t i = builds_shown(w); i < w->builds.list.count && i < BUILDS_SHOWN; i++)
        add_build(t, w, i);
    for (size_t i = 0; i < w->tune->vain.count && i < VAIN_SHOWN; i++)
        add_vain(t, w, &w->tune->vain.items[i]);
}

/* Prints the description of the best version, or "compiled with -O3" for the best build. */
static void name_best(const struct tuning *w, struct str *out)
{
    if (w->build == SIZE_MAX)
        str_add(out, str_text(&w->tune->found.items[w->best - 1].version->what));
    else
        str_addf(out, "compiled with %s", str_text(&w->builds.list.items[w->build].how));
}

static bool found_faster(const struct tuning *w)
{
    return w->best || w->build != SIZE_MAX;
}

/* Names the fastest build that was rejected because it changes results (without --reassociate), if
 * it is faster than @cycles by BUILD_GAIN. If there is none, names --reassociate if it permits more
 * versions. */
static void add_left(const struct tuning *w, double cycles, struct str *sentence)
{
    for (size_t i = 0; !w->options.reassociate && i < builds_shown(w); i++) {
        const struct tune_build *b = &w->builds.list.items[i];
        if (!b->changes_results || !(b->cycles < cycles * (1 - BUILD_GAIN)))
            continue;
        str_addf(sentence,
                 ". Compiled with %s the loop is predicted to take %.2f cycles, but results "
                 "would be rounded differently: kernel tune --reassociate allows this build",
                 str_text(&b->how), b->cycles);
        return;
    }
    if (w->would_sum)
        str_add(sentence, ". kernel tune --reassociate also tries floating-point sums in another "
                          "order, which round differently");
}

/* Reports that no version or build is faster, and the number of those tried. */
static void add_no(const struct tuning *w, struct str *sentence)
{
    str_addf(
        sentence,
        "No version is faster than %s%.2f cycles per iteration; tried: other orders, %zu version%s",
        cycles_words(false, w->tune->estimate), w->tune->cycles, w->tune->simulated,
        plural(w->tune->simulated));
    if (w->builds.tried)
        str_addf(sentence, " and %zu build%s", w->builds.tried, plural(w->builds.tried));
    str_add(sentence, isfinite(w->versions[0].measured) ? ", measured here" : "");
}

static void add_finding(const struct tuning *w, struct result *result)
{
    const bool found = found_faster(w);
    const double here =
        w->build != SIZE_MAX ? w->builds_measured[w->build] : w->versions[w->best].measured;
    const bool measured = found && isfinite(w->versions[0].measured) && isfinite(here);
    const double before = measured ? w->versions[0].measured : w->tune->cycles;
    const double after = measured               ? here
                         : w->build != SIZE_MAX ? w->builds.list.items[w->build].cycles
                         : w->best              ? w->tune->found.items[w->best - 1].cycles
                                                : before;
    struct str sentence = {0};

    if (found) {
        str_addf(&sentence, "Yes: %s%.2f instead of %.2f cycles per iteration, %s (%+.0f %%): ",
                 cycles_words(false, !measured && w->tune->estimate), after, before,
                 measured ? "measured here" : "predicted", gain(after, before));
        name_best(w, &sentence);
        add_left(w, after, &sentence);
    } else if (w->tune->unknown) {
        str_addf(&sentence, "Unknown, because %s lacks forms of this loop", w->machine->id);
    } else {
        add_no(w, &sentence);
        add_left(w, before, &sentence);
    }
    result_line(result, "%s\n", str_text(&sentence));
    result_text(result, "sentence", str_text(&sentence));
    str_done(&sentence);
}

static void show(const struct tuning *w, struct result *result)
{
    add_finding(w, result);
    result_text(result, "machine", w->machine->id);
    result_number(result, "cycles", w->tune->cycles);
    result_switch(result, "estimate", w->tune->estimate);
    result_count(result, "variants", (int64_t)w->tune->simulated);
    result_count(result, "builds", (int64_t)w->builds.tried);
    if (w->why[0])
        result_line(result, "%s\n", w->why);
    add_versions(w, result);
    if (w->build != SIZE_MAX) {
        result_line(result, "\nthe faster build is now the current kernel; kernel compare shows it "
                            "next to the old build, kernel switch previous selects the old "
                            "build\n");
        if (w->export)
            result_line(result, "its assembly was written to %s\n", w->export);
        return;
    }
    if (!w->best)
        return;
    result_line(result,
                "\n%s\nkernel compare shows it next to the old loop, kernel diff prints the "
                "difference; kernel switch previous selects the old loop\n",
                str_text(&w->text));
    result_text(result, "text", str_text(&w->text));
    if (w->export)
        result_line(result, "written to %s\n", w->export);
}

static bool tune_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct tuning *w = state;
    struct document *d = &s->document;

    show(w, result);
    s->in_view = s->views ? "faster" : NULL;
    /* Replaces the kernel only if no other kernel was loaded in the meantime. */
    if (w->made && d->kernel == w->kernel && d->loop == w->loop) {
        session_set_kernel(s, w->made, w->made_loop);
        w->made = NULL;
        struct str dropped = {0};
        shelf_tell_dropped(&d->shelf, &dropped);
        if (dropped.length)
            result_line(result, "%s", str_text(&dropped) + strlen("; "));
        str_done(&dropped);
        d->kernel_measured =
            w->build != SIZE_MAX
                ? w->builds_measured[w->build] * w->builds.list.items[w->build].times
                : w->versions[w->best].measured * w->tune->found.items[w->best - 1].version->times;
    }
    return true;
}

static void tuning_free(void *state)
{
    struct tuning *w = state;

    kernel_free(w->kernel);
    kernel_free(w->made);
    machine_free(w->machine);
    tune_free(w->tune);
    tune_builds_done(&w->builds);
    str_done(&w->text);
    free(w);
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"searches for faster versions of the loop", tune_run,
                                        tune_finish, tuning_free, .listed = TASK_LISTED};
    const struct tune_values *v = values;
    const struct document *d = &s->document;
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    kernel_insns(d->kernel, d->loop, &count);
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N selects another loop",
                       "the loop has no instructions");
    if (count > TUNE_INSNS)
        return err_set(err, ERR_LIMIT, "kernel load --lines A-B loads a part of the file",
                       "the loop has %zu instructions; kernel tune accepts at most %d", count,
                       TUNE_INSNS);
    /* The workbench uses the displayed machine. */
    const struct machine *m = v->machine || !s->interactive
                                  ? session_kernel_machine(s, v->machine, err)
                              : session_shown_fit(s, err)
                                  ? session_machine(s, d->selected[d->in_view], err)
                                  : NULL;
    if (!m || !session_fits(s, m, err))
        return false;
    struct tuning *w = mem_zero(1, sizeof *w);
    w->kernel = kernel_hold(d->kernel);
    w->loop = d->loop;
    w->machine = machine_copy(m);
    w->options =
        (struct tune_options){(unsigned)v->tries, v->unroll ? (unsigned)(v->unroll[0] - '0') : 4,
                              v->reassociate, v->seed};
    w->inputs = (unsigned)v->inputs;
    w->here = !v->model_only && d->kernel->isa == isa_host();
    if (!v->model_only && !w->here)
        snprintf(w->why, sizeof w->why, "not executed: this CPU executes %s", isa_name(isa_host()));
    w->export = v->export;
    task->measures = w->here;
    return task_give(task, &ops, w);
}

const struct command command_kernel_tune = {
    .name = "kernel tune",
    .meant = "faster optimize optimise speed improve",
    .help = "search for a faster version of the loop: other compiler options, instruction orders, "
            "instructions, or unrolling",
    .description =
        "Source is first compiled with -O2 and -O3, by each installed compiler, for the machine, "
        "and with -ffast-math. -ffast-math changes results, so its build needs --reassociate. Then "
        "the simulator searches for faster versions. Other orders keep all dependences through "
        "registers, flags and memory that may overlap. Other instructions come from a table of "
        "equivalent replacements. Unrolling by two or four needs a trip count that is a multiple "
        "of two or four, and free registers. Each version and the loop run on the same "
        "random inputs, and their registers, flags and memory are compared. The best versions are "
        "measured, and the fastest becomes the current kernel. kernel diff compares it with the "
        "loop, kernel switch previous selects the loop again.",
    .options = PARAMETERS(
        MACHINE_OPTION(tune_values, "the current machine", "machine whose model the search uses"),
        {PARAMETER(CHOICE, "--unroll", struct tune_values, unroll), .choices = "1|2|4",
         .initial = "4", .help = "maximum number of iterations to combine"},
        {PARAMETER(FLAG, "--reassociate", struct tune_values, reassociate),
         .help = "allow floating-point sums in another order, which round differently"},
        {PARAMETER(COUNT, "--tries", struct tune_values, tries), .value = "N", .least = 1,
         .most = 1e6, .initial = INITIAL(TRIES),
         .help = "number of instruction orders to simulate for each kind of version"},
        {PARAMETER(COUNT, "--inputs", struct tune_values, inputs), .value = "N", .least = 1,
         .most = 1e6, .initial = INITIAL(INPUTS),
         .help = "number of random inputs on which each version is compared with the loop"},
        {PARAMETER(COUNT, "--seed", struct tune_values, seed), .value = "N", .least = 0,
         .most = 1e9, .initial = "1", .help = "random seed"},
        {PARAMETER(FLAG, "--model-only", struct tune_values, model_only),
         .help = "search with the model only; run no version"},
        {PARAMETER(TEXT, "--export", struct tune_values, export), .value = "FILE",
         .complete = COMPLETE_FILE,
         .help = "file for the best version's code; replaced if it exists"}),
    .examples = EXAMPLES("kernel tune", "kernel tune --reassociate --export faster.s",
                         "kernel tune --machine znver4 --model-only"),
    .values_size = sizeof(struct tune_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
