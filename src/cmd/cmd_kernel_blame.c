/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "cmd/blame_recorded.h"
#include "cmd/command.h"
#include "cmd/explained.h"
#include "cmd/task.h"
#include "measure/kernel_set.h"
#include "report/blame.h"
#include "report/report.h"
#include "work/job.h"

/* default time limit in seconds; most of this time may pass before the core is idle */
#define SECONDS 20
/* maximum number of instructions; work and memory grow with the square, because each instruction is
 * removed once */
#define INSNS_MOST 500
#define RECORDED_SECONDS 2.0   /* seconds for which the recorded iterations are run */
#define PATIENCE_SECONDS 1.0   /* time limit of each request to measure variants, in seconds */

/* State of the job of kernel blame. The worker measures the loop and its variants; the UI thread
 * shows the result and stores it for the kernel view. */
struct kernel_blaming {
    struct session *session;
    const struct kernel *kernel;     /* counted reference */
    size_t loop;
    /* the loop's instructions, or the instructions of its most frequent recorded path */
    struct insn *insns;
    const struct kernel *texts; /* kernel that owns the text of @insns (counted reference) */
    size_t count;
    double share;            /* share of the recorded iterations on this path; NaN: not recorded */
    /* iterations that program explain recorded, with text of @texts; empty: none */
    struct recording recording;
    double program;          /* cycles per iteration that were counted in the program; NaN:
                              * unknown */
    bool huge;               /* whether the program's data is on pages of 2 MiB */
    struct recorded_costs recorded;
    struct err unrecorded;   /* reason why @recorded has no times */
    struct err unmeasured;   /* reason why @found is NULL although @recorded has times */
    struct machine *machine; /* the job's copy of the machine */
    double seconds;
    struct sandbox *sandbox;
    struct calibration calibration;
    struct kernel_set *set;          /* the loop and all variants so far */
    /* per variant: whether its time was requested before; if so, the next request measures the
     * variant again */
    VEC(bool) asked;
    struct blame *found;
    /* partial result for the UI thread, which takes it; NULL: nothing new */
    struct blame *_Atomic so_far;
};

static void progress(void *state, size_t done, size_t total)
{
    job_progress((double)done, (double)total, "variants of the loop");
}

static bool measure(void *state, const struct insn *insns, size_t count, double *cycles,
                    double *spread, struct err *err)
{
    struct kernel_blaming *w = state;
    size_t at = kernel_set_add(w->set, insns, count);

    while (w->asked.count <= at)
        vec_push(&w->asked, false);
    if (w->asked.items[at])
        kernel_set_again(w->set, at);
    w->asked.items[at] = true;
    return kernel_set_measure(w->set, PATIENCE_SECONDS, err) &&
           kernel_set_result(w->set, at, cycles, spread, err);
}

static void expect(void *state, const struct insn *insns, size_t count)
{
    kernel_set_add(((struct kernel_blaming *)state)->set, insns, count);
}

static void keep_so_far(void *state, const struct blame *so_far)
{
    struct kernel_blaming *w = state;
    blame_free(atomic_exchange(&w->so_far, blame_copy(so_far)));
}

/* Measures the recorded iterations in the sandbox. Does nothing without a recording. */
static void measure_recorded(struct kernel_blaming *w)
{
    if (!w->recording.iterations.count)
        return;
    job_progress(0, 0, "recorded iterations");
    if (!recorded_costs_measure(w->sandbox, &w->recording, w->program, w->huge, false,
                                RECORDED_SECONDS, &w->recorded, &w->unrecorded))
        w->recorded.cycles = NAN;
    sandbox_clear(w->sandbox);
}

static bool blame_run(void *state, struct result *result, struct err *err)
{
    struct kernel_blaming *w = state;
    const struct blame_source source = {measure, progress, expect, keep_so_far, w};

    w->sandbox = sandbox_new(-1, err);
    bool ok = w->sandbox && calibrate(w->sandbox, job_cancelled, NULL, &w->calibration, err);
    if (ok) {
        sandbox_cancel_by(w->sandbox, job_cancelled, NULL);
        measure_recorded(w);
        w->set = kernel_set_new(w->sandbox, &w->calibration);
    }
    w->found = ok ? blame_new(w->insns, w->count, w->machine, &source, w->seconds, err) : NULL;
    kernel_set_free(w->set);
    w->set = NULL;
    vec_done(&w->asked);
    sandbox_free(w->sandbox);
    w->sandbox = NULL;
    if (!w->found && w->recorded.cycles > 0 && err->code != ERR_INTERRUPTED) {
        w->unmeasured = *err;
        err_clear(err);
        return true;
    }
    return w->found != NULL;
}

/* Returns @cycles, or 0 if they would print as 0.00 or -0.00. */
static double plain(double cycles)
{
    return fabs(cycles) < 0.005 ? 0 : cycles;
}

static void add_cost(struct result_table *t, const struct blame_cost *cost)
{
    cell_number(t, plain(cost->here));
    cell_number(t, cost->error);
    cell_number(t, plain(cost->model));
    cell_number(t, plain(cost->here - cost->model));
}

/* Adds the number that names a row: the instruction's line if known, otherwise its index from 1. */
static void add_line(struct result_table *t, const struct insn *insns, size_t at)
{
    if (insns[at].line)
        cell_count(t, insns[at].line);
    else
        cell_count(t, (int64_t)at + 1);
}

static const char *text_of(const struct insn *in)
{
    return in->text ? in->text + strspn(in->text, " \t") : in->mnemonic;
}

#define COSTS                                                                                      \
    {.key = "here", .kind = CELL_NUMBER, .decimals = 2, .width = 6},                               \
        {.key = "error", .title = "±", .kind = CELL_NUMBER, .decimals = 2, .width = 5},           \
        {.key = "model", .kind = CELL_NUMBER, .decimals = 2, .width = 6},                          \
    {                                                                                              \
        .key = "difference", .title = "differs", .kind = CELL_NUMBER, .decimals = 2, .width = 7    \
    }

static void add_rows(const struct blame *b, const struct insn *insns, struct result *result)
{
    const bool code = b->count && insns[0].placed;
    const struct result_column columns[] = {
        {.key = "line", .kind = CELL_COUNT, .width = 4, .hide = code ? NOT_TEXT | NOT_DOCUMENT : 0},
        {.key = "address", .kind = CELL_TEXT, .width = 5,
         .hide = code ? 0 : NOT_TEXT | NOT_DOCUMENT},
        COSTS,
        {.key = "nop_here", .title = "nop", .kind = CELL_NUMBER, .decimals = 2, .width = 6},
        {.key = "nop_model", .title = "model", .kind = CELL_NUMBER, .decimals = 2, .width = 6},
        {.key = "instruction", .kind = CELL_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "instructions", columns);
    struct str text = {0};

    for (size_t i = 0; i < b->count; i++) {
        const struct blame_row *row = &b->rows[i];
        bool known = isfinite(row->out.here);
        str_clear(&text);
        str_addf(&text, "%s%s%s", text_of(&insns[i]), known ? "" : "    -- ",
                 known ? "" : row->out.state);
        add_line(t, insns, i);
        cell_insn_address(t, &insns[i]);
        add_cost(t, &row->out);
        cell_number(t, plain(row->nop.here));
        cell_number(t, plain(row->nop.model));
        cell_text(t, str_text(&text));
        cell_text(t, row->out.state);
    }
    str_done(&text);
}

static void add_edges(const struct blame *b, const struct insn *insns, struct result *result)
{
    const bool code = b->count && insns[0].placed;
    const unsigned lines = code ? NOT_TEXT | NOT_DOCUMENT : 0,
                   addresses = code ? 0 : NOT_TEXT | NOT_DOCUMENT;
    const struct result_column columns[] = {
        {.key = "line", .kind = CELL_COUNT, .width = 4, .hide = lines},
        {.key = "address", .kind = CELL_TEXT, .width = 5, .hide = addresses},
        COSTS,
        {.key = "waits_for", .title = "waits for line", .kind = CELL_COUNT, .width = 6,
         .hide = lines},
        {.key = "waits_for_address", .title = "waits for", .kind = CELL_TEXT, .width = 9,
         .hide = addresses},
        {.key = "distance", .title = "iterations before", .kind = CELL_COUNT, .hide = NOT_TEXT},
        {.key = "through", .kind = CELL_TEXT},
        {.key = "state", .kind = CELL_TEXT, .hide = NOT_TEXT},
    };
    struct str through = {0};

    if (!b->edge_count)
        return;
    result_line(result, "\ndependences, each cut alone");
    struct result_table *t = RESULT_TABLE(result, "dependences", columns);
    for (size_t i = 0; i < b->edge_count; i++) {
        const struct blame_edge *e = &b->edges[i];
        str_clear(&through);
        dependence_through((enum isa)insns->isa, &e->of, &through);
        add_line(t, insns, e->of.to);
        cell_insn_address(t, &insns[e->of.to]);
        add_cost(t, &e->cut);
        add_line(t, insns, e->of.from);
        cell_insn_address(t, &insns[e->of.from]);
        cell_count(t, e->of.distance);
        cell_text(t, str_text(&through));
        cell_text(t, e->cut.state);
    }
    str_done(&through);
}

static void show(const struct kernel_blaming *w, struct result *result)
{
    const struct blame *b = w->found;
    const struct insn *insns = w->insns;

    result_line(
        result,
        "%s: %.2f cycles per iteration measured (within %.1f %%), %s%.2f predicted for %s "
        "(%+.0f %%)",
        w->kernel->name, b->measured, 100 * b->spread, cycles_words(b->least, b->estimate),
        b->predicted, b->machine, 100 * (b->predicted / b->measured - 1));
    if (!isnan(w->share))
        result_line(result,
                    "measured along the path of %.0f %% of the iterations that program explain "
                    "recorded, with their branch outcomes",
                    100 * w->share);
    result_number(result, "path_share", w->share);
    result_line(result, "%s", b->sentence);
    result_text(result, "kernel", w->kernel->name);
    result_text(result, "machine", b->machine);
    result_number(result, "measured", b->measured);
    result_number(result, "spread", b->spread);
    result_number(result, "predicted", b->predicted);
    result_switch(result, "lower_bound", b->least);
    result_switch(result, "estimate", b->estimate);
    result_text(result, "sentence", b->sentence);
    add_rows(b, insns, result);
    add_edges(b, insns, result);
    result_count(result, "variants", (int64_t)b->variants);
    result_number(result, "seconds", b->seconds);
    result_line(result,
                "%zu variant%s measured in %.1f s; columns: cycles saved without the instruction, "
                "and with a nop instead of it",
                b->variants, plural(b->variants), b->seconds);
}

/* Moves @take_b into the document if the loop is still selected, unless only its most frequent
 * recorded path was measured. Otherwise frees @take_b. */
static void put(const struct kernel_blaming *w, struct blame *take_b)
{
    struct document *d = &w->session->document;

    if (d->kernel != w->kernel || d->loop != w->loop || !isnan(w->share)) {
        blame_free(take_b);
        return;
    }
    d->kernel_measured = take_b ? take_b->measured : d->kernel_measured;
    blame_free(d->blame);
    d->blame = take_b;
}

void blame_publish(struct session *s)
{
    struct kernel_blaming *w = s->blaming;

    struct blame *so_far = w ? atomic_exchange(&w->so_far, NULL) : NULL;
    if (so_far)
        put(w, so_far);
}

static void forget(const struct kernel_blaming *w)
{
    if (w->session->blaming == w)
        w->session->blaming = NULL;
}

static void blame_failed(struct session *s, void *state, struct result *result,
                         const struct err *err)
{
    struct kernel_blaming *w = state;
    const struct blame *shown = s->document.blame;

    forget(w);
    if (shown && !shown->sentence)
        put(w, NULL);
}

static bool blame_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct kernel_blaming *w = state;

    forget(w);
    if (w->recorded.cycles > 0)
        recorded_costs_show(&w->recorded, &w->recording, result);
    else if (w->unrecorded.code)
        result_line(result, "the recorded iterations were not measured outside the program: %s",
                    w->unrecorded.what);
    if (!w->found) {
        result_line(result, "\nthe path of most iterations was not measured: %s",
                    w->unmeasured.what);
        return true;
    }
    if (w->recorded.cycles > 0)
        result_line(result, "%s", "");
    show(w, result);
    put(w, w->found);
    w->found = NULL;
    return true;
}

static void blaming_free(void *state)
{
    struct kernel_blaming *w = state;
    free(w->insns);
    recording_done(&w->recording);
    recorded_costs_done(&w->recorded);
    kernel_free(w->texts);
    kernel_free(w->kernel);
    machine_free(w->machine);
    blame_free(w->found);
    blame_free(w->so_far);
    forget(w);
    free(w);
}

struct blame_values {
    const char *machine;
    double seconds;
};

/* Returns the machine to compare with the measurements; NULL with err. */
static struct machine *choose(struct session *s, const char *id, struct err *err)
{
    if (id)
        return session_machine(s, id, err);
    return s->document.here.id && s->document.here.isa == isa_host()
               ? session_machine(s, s->document.here.id, err)
               : session_current(s, err);
}

static bool branches_within(const struct insn *insns, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (insns[i].traits & INSN_BRANCH)
            return true;
    return false;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"measures variants of the loop", blame_run, blame_finish,
                                        blaming_free, .failed = blame_failed, .listed = TASK_LISTED,
                                        .measures = true};
    const struct blame_values *v = values;
    const struct document *d = &s->document;
    const struct explained_path *path = NULL;
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    if (d->kernel->isa != isa_host())
        return err_set(err, ERR_USAGE,
                       "run the command on a computer whose CPU has the kernel's instruction set",
                       "this CPU executes %s, but the kernel is %s", isa_name(isa_host()),
                       isa_name(d->kernel->isa));
    const struct insn *insns = kernel_insns(d->kernel, d->loop, &count);
    if (explained_is(d->explained, d->kernel, d->loop) && branches_within(insns, count) &&
        (path = explained_main(d->explained))) {
        insns = path->insns.items;
        count = path->insns.count;
    }
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N selects another loop",
                       "the loop has no instructions");
    if (count > INSNS_MOST)
        return err_set(err, ERR_LIMIT, "kernel load --lines A-B loads a part of the file",
                       "the loop has %zu instructions; kernel blame accepts at most %d", count,
                       INSNS_MOST);
    const struct machine *m = choose(s, v->machine, err);
    if (!m || !session_fits(s, m, err))
        return false;
    struct kernel_blaming *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->kernel = kernel_hold(d->kernel);
    w->loop = d->loop;
    w->share = path ? path->share : NAN;
    w->insns = mem_alloc(count * sizeof *insns);
    memcpy(w->insns, insns, count * sizeof *insns);
    const bool explained = explained_is(d->explained, d->kernel, d->loop);
    w->texts = kernel_hold(explained ? d->explained->kernel : d->kernel);
    if (explained) {
        w->program = d->explained->cycles;
        w->huge = d->explained->huge;
        w->unrecorded = d->explained->unrecorded;
        if (!w->unrecorded.code)
            recording_copy(&d->explained->recording, &w->recording);
    }
    w->count = count;
    w->machine = machine_copy(m);
    w->seconds = v->seconds;
    s->blaming = w;
    return task_give(task, &ops, w);
}

const struct command command_kernel_blame = {
    .name = "kernel blame",
    .meant = "why cost costs slow",
    .help = "measure the cost of each instruction of the loop, and compare the costs with the "
            "model",
    .description = "The loop is measured with each instruction removed, with a nop in its place, "
                   "and with single dependences cut. The model predicts the same variants. "
                   "Instructions that read the result of a removed instruction read an unwritten "
                   "register instead. The largest difference is named. Measurement takes longer on "
                   "a busy core; variants without a stable time are marked.",
    .options = PARAMETERS(
        MACHINE_OPTION(blame_values, "this CPU's machine, otherwise the current machine",
                       "machine whose prediction is compared with the measurement"),
        {PARAMETER(DURATION, "--seconds", struct blame_values, seconds), .value = "T",
         .least = 0.01, .most = 3600, .initial = INITIAL(SECONDS),
         .help = "time after which no further variant is started"}),
    .examples = EXAMPLES("kernel blame", "kernel blame --machine skylake"),
    .values_size = sizeof(struct blame_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
