/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/file_stream.h"
#include "cmd/command.h"
#include "base/csv.h"
#include "cmd/task.h"
#include "isa/cpu.h"
#include "measure/kernel_passes.h"
#include "measure/record.h"
#include "measure/runner.h"
#include "work/job.h"

/* How often each reason was given. */
struct reasons { VEC(char *) texts; VEC(size_t) counts; };

static void reasons_add(struct reasons *r, const char *text)
{
    /* Addresses, numbers and instructions make no reason of their own. */
    size_t length = strcspn(text, ":(");
    while (length && text[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < r->texts.count; i++)
        if (strlen(r->texts.items[i]) == length && strncmp(r->texts.items[i], text, length) == 0) {
            r->counts.items[i]++;
            return;
        }
    vec_push(&r->texts, mem_strndup(text, length));
    vec_push(&r->counts, 1);
}

static void reasons_done(struct reasons *r)
{
    for (size_t i = 0; i < r->texts.count; i++)
        free(r->texts.items[i]);
    vec_done(&r->texts);
    vec_done(&r->counts);
}

/* One block of a file. */
struct measured_row {
    char *hex, *fault;               /* fault NULL: measured, or not visited yet */
    double cycles, spread;
    struct kernel_passes passes;
    bool settled;                    /* nothing more is to be learnt of it; else it waits for a quiet core */
};

/* The job: one loop or the blocks of a file, on the worker; the UI thread makes the result of what it found. */
struct kernel_measuring {
    struct session *session;
    struct job *job;
    const struct kernel *kernel;     /* held; NULL for a file */
    size_t loop;
    char *in, *out;                  /* of a file */
    struct sandbox *sandbox;
    struct calibration calibration;
    struct seek seek;
    struct kernel_measured result;
    char unconfirmed[160];           /* why result is what was seen and no more; "": it is confirmed */
    VEC(struct measured_row) rows;   /* of a file */
    size_t settled, measured, shown; /* rows: with a last word, with cycles, in the file that they go into */
    bool improved;                   /* a row says more than the file */
    struct reasons reasons;
    double patience, begun;          /* with the loaded loop; on clock_seconds */
    double recorded;                 /* of a file, on clock_seconds: the beginning of the record and of what tells the time left */
    struct runner_estimate estimate;
    double seconds, last_settled, last_quiet;   /* the second and third on clock_seconds; the third: when a visit had a quiet window */
};

#define GROUP 64                 /* rows at most between two visits, a few tenths of a second apart when the core is quiet */
#define GROUP_VISITS 4           /* to a row, before the next group */
#define GROUP_SECONDS 3.0        /* after which a group takes no further row: on a busy core rows come, too */
#define VISIT_SECONDS 0.25       /* of patience */
#define DRY_SECONDS 2.0          /* without a quiet window, after which */
#define DRY_PATIENCE 0.05        /* of the patience with a window is left, and a row is visited once, until there is one again */
#define PATIENCE_SECONDS 20.0    /* without any row settled, at the end */
#define LOOP_PATIENCE 1.75       /* seconds with the loaded loop, in all, unless told otherwise: an answer within two */
#define LOOK_SHARE 0.5           /* of them, at most, for a look at the core */
#define CONTENDED "contended"

static bool cancelled(void *state)
{
    return job_cancelled(((struct kernel_measuring *)state)->job);
}

/* The instructions of @kernel's loop @loop; NULL when there is no kernel. */
static const struct insn *insns_of(const struct kernel *kernel, size_t loop, size_t *count)
{
    *count = 0;
    return kernel ? kernel_insns(kernel, loop, count) : NULL;
}

static void row_settle(struct kernel_measuring *w, struct measured_row *row, double cycles, double spread, const char *fault)
{
    free(row->fault);
    row->fault = fault ? mem_strdup(fault) : NULL;
    row->cycles = cycles;
    row->spread = spread;
    row->settled = true;
    w->settled++;
    w->measured += !fault;
    w->last_settled = clock_seconds();
}

/* Why @row has no value so far. */
static void row_leave(struct measured_row *row, const char *reason)
{
    free(row->fault);
    row->fault = mem_strdup(reason);
}

/* Whether the core was not quiet for a while: then all rows wait together, at the end, instead of each for itself. */
static bool dry(const struct kernel_measuring *w)
{
    return clock_seconds() - w->last_quiet > DRY_SECONDS;
}

/* The view machine shows what the visit saw of the core. */
static void visit_record(const struct kernel_measuring *w, const struct kernel_measured *m)
{
    const double lost = m->contended < 1 ? m->windows * m->contended / (1 - m->contended) : 1;   /* a NaN counts as one lost: there was no window */

    record_windows(w->session->document.record, clock_seconds() - w->recorded, m->clock_hz, m->windows, (unsigned)ceil(lost), 0);
}

/* How far it is, and how long what is not settled takes at the pace so far. */
static void rows_progress(struct kernel_measuring *w)
{
    const double seconds = clock_seconds() - w->recorded, left = (double)(w->rows.count - w->settled);
    const double told = runner_estimate(&w->estimate, seconds, w->settled ? seconds * left / (double)w->settled : NAN);
    struct str text = {0};

    if (left > 0 && told >= 0)
        duration_print(told, &text);
    job_progress(w->job, (double)w->settled, (double)w->rows.count, "%s%s%zu of %zu measured", str_text(&text), text.length ? " left, " : "", w->measured, w->rows.count);
    str_done(&text);
}

/* One visit to a block: its value when visits agree, its reason when it has none, else it stays open. False with err when measuring itself is impossible. */
static bool row_visit(struct kernel_measuring *w, struct measured_row *row, struct err *err)
{
    struct err fault = {0};
    struct kernel_measured m = {.contended = NAN};
    double cycles = NAN, spread = NAN;
    const struct kernel *kernel = kernel_from_hex(isa_host(), row->hex, &fault);
    size_t count;
    const struct insn *insns = insns_of(kernel, 0, &count);
    struct calibration c = w->calibration;
    c.rules.patience *= dry(w) ? DRY_PATIENCE : 1;
    bool visited = insns && kernel_visit(w->sandbox, &c, insns, count, VISIT_SECONDS, &row->passes.plan, &m, &fault);

    row->passes.least = insns ? kernel_least_cycles(&w->calibration, count) : 0;
    kernel_free(kernel);
    if (cancelled(w))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    w->last_quiet = m.windows ? clock_seconds() : w->last_quiet;
    kernel_passes_add(&row->passes, &m);
    if (kernel_passes_settled(&row->passes, &cycles, &spread))
        row_settle(w, row, cycles, spread, NULL);
    else if (!visited && fault.code != ERR_LIMIT)
        row_settle(w, row, NAN, NAN, fault.what);
    else if (kernel_passes_enough(&row->passes))
        row_settle(w, row, NAN, NAN, "no stable time");
    else
        row_leave(row, m.vain ? fault.what : CONTENDED);
    if (m.windows || !isnan(m.contended))
        visit_record(w, &m);
    rows_progress(w);
    return seek_step(&w->seek, w->sandbox, &w->calibration, m.contended, err) && seek_learn(&w->seek, w->sandbox, &w->calibration, err);
}

static void row_add(struct str *text, const struct measured_row *row)
{
    csv_add_field(text, row->hex, false);
    if (row->fault)
        str_add(text, ",,");
    else
        str_addf(text, "%.6g,%.4g,", row->cycles, row->spread);
    csv_add_field(text, row->fault ? row->fault : "ok", true);
}

/* Rows go into the file as they come, in the order of the blocks: cancelling loses none. */
static bool rows_show(struct kernel_measuring *w, size_t until, struct file_stream *out, struct err *err)
{
    struct str text = {0};

    for (; w->shown < until; w->shown++)
        row_add(&text, &w->rows.items[w->shown]);
    bool ok = !out || file_stream_add(out, text.data, text.length, err);
    str_done(&text);
    return ok;
}

/* Visits a group of rows from @from on, again those that are open, until they are settled or nothing more comes of it; in *@to the first row after it. */
static bool group_measure(struct kernel_measuring *w, size_t from, size_t *to, struct file_stream *out, struct err *err)
{
    double start = clock_seconds();
    bool ok = true;

    *to = from;
    while (ok && *to < w->rows.count && *to < from + GROUP && (*to == from || clock_seconds() - start < GROUP_SECONDS))
        ok = row_visit(w, &w->rows.items[(*to)++], err);
    for (unsigned visit = 1; ok && visit < GROUP_VISITS && !dry(w); visit++)
        for (size_t i = from; ok && i < *to; i++)
            if (!w->rows.items[i].settled)
                ok = row_visit(w, &w->rows.items[i], err);
    size_t done = from;
    while (done < *to && (w->rows.items[done].settled || w->rows.items[done].fault))
        done++;
    return rows_show(w, done, out, ok ? err : NULL) && ok;
}

/* What is still open when all were visited waits for quiet moments together. */
static bool open_measure(struct kernel_measuring *w, struct err *err)
{
    bool ok = true;

    w->last_settled = clock_seconds();
    while (ok && w->settled < w->rows.count && clock_seconds() - w->last_settled < PATIENCE_SECONDS)
        for (size_t i = 0; ok && i < w->rows.count && clock_seconds() - w->last_settled < PATIENCE_SECONDS; i++)
            if (!w->rows.items[i].settled) {
                ok = row_visit(w, &w->rows.items[i], err);
                w->improved |= w->rows.items[i].settled;
            }
    return ok;
}

static const char header[] = "hex,cycles,spread,state\n";

static bool measure_rows(struct kernel_measuring *w, struct file_stream *out, struct err *err)
{
    bool ok = !out || file_stream_add(out, header, sizeof header - 1, err);

    w->last_quiet = clock_seconds();
    for (size_t i = 0; ok && i < w->rows.count;)
        ok = group_measure(w, i, &i, out, err);
    return ok && open_measure(w, err);
}

/* The file as it would be had all been known when its rows were written. */
static bool file_improve(const struct kernel_measuring *w, struct err *err)
{
    struct str text = {0};

    str_add(&text, header);
    for (size_t i = 0; i < w->shown; i++)
        row_add(&text, &w->rows.items[i]);
    bool ok = file_write(w->out, text.data, text.length, err);
    str_done(&text);
    return ok;
}

static void add_block(struct kernel_measuring *w, const char *hex)
{
    vec_push(&w->rows, ((struct measured_row){.hex = mem_strdup(hex), .cycles = NAN, .spread = NAN}));
}

static bool measure_file(struct kernel_measuring *w, struct err *err)
{
    struct csv_table *table = csv_table_read(w->in, err);
    int column = table ? csv_table_column(table, "hex") : -1;
    struct file_stream *out = NULL;

    if (table && column < 0 && table->columns && text_is_hex(table->header[0])) {   /* BHive's, without a header */
        column = 0;
        add_block(w, table->header[0]);
    }
    if (table && column < 0) {
        err_set(err, ERR_DATA, "begin with hex,cycles or hex", "the column hex is missing");
        err_at(err, w->in, 1, 1);
    }
    for (size_t i = 0; column >= 0 && i < table->count; i++)
        add_block(w, table->rows[i][column]);
    bool ok = column >= 0 && (!w->out || (out = file_stream_new(w->out, err)) != NULL);
    ok = ok && measure_rows(w, out, err);
    bool closed = file_stream_close(out, ok ? err : NULL);
    if (out && closed && w->improved)
        closed = file_improve(w, ok ? err : NULL);
    csv_table_free(table);
    return ok && closed;
}

static bool measure_loop(struct kernel_measuring *w, struct err *err)
{
    size_t count;
    const struct insn *insns = insns_of(w->kernel, w->loop, &count);

    double seconds = fmax(w->patience - (clock_seconds() - w->begun), VISIT_SECONDS);
    if (kernel_measure(w->sandbox, &w->calibration, &w->seek, insns, count, seconds, &w->result, err))
        return true;
    if (cancelled(w))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    const struct err reason = *err;
    if (reason.code == ERR_DATA)
        return err_set(err, ERR_DATA, reason.todo, "not measured: %s", reason.what);
    if (reason.code == ERR_LIMIT && w->result.cycles > 0) {
        snprintf(w->unconfirmed, sizeof w->unconfirmed, "%.159s", reason.what);
        return true;
    }
    bool over = reason.code == ERR_LIMIT && clock_seconds() - w->begun >= w->patience;   /* else more of it would tell no more */
    return over ? err_set(err, ERR_LIMIT, "kernel measure --patience 30s waits longer; --cpu N takes another CPU", "%s", reason.what) : false;
}

static bool measure_run(void *state, struct result *result, struct err *err)
{
    struct kernel_measuring *w = state;

    (void)result;   /* publish fills it */
    w->begun = clock_seconds();
    w->job = job_current();
    w->sandbox = sandbox_new(-1, err);
    bool ok = w->sandbox && calibrate_within(w->sandbox, w->kernel ? LOOK_SHARE * w->patience : INFINITY, cancelled, w, &w->calibration, err);
    if (ok) {
        sandbox_cancel_by(w->sandbox, cancelled, w);
        seek_begin(&w->seek, w->sandbox);
    }
    if (ok && !w->kernel) {
        char name[64];
        record_begin(w->session->document.record, cpu_name(name, sizeof name), &w->calibration);
        w->recorded = clock_seconds();
    }
    ok = ok && (w->kernel ? measure_loop(w, err) : measure_file(w, err));
    sandbox_free(w->sandbox);
    w->sandbox = NULL;
    for (size_t i = 0; i < w->shown; i++)
        if (w->rows.items[i].fault)
            reasons_add(&w->reasons, w->rows.items[i].fault);
    w->seconds = clock_seconds() - w->begun;
    return ok;
}

static json_t *measured_json(const struct kernel_measured *m, const char *state)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:b}", "state", state, "cycles", json_number(m->cycles), "spread", json_number(m->spread), "clock_hz", json_number(m->clock_hz),
                     "repeats", (int)m->repeats, "pages", (int)m->pages, "iterations", (int)m->iterations, "wraps", m->wraps);
}

static void add_loop(struct session *s, const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "kernel", .kind = CELL_TEXT}, {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2}, {.key = "spread", .kind = CELL_NUMBER, .decimals = 4},
                                                   {.key = "state", .kind = CELL_TEXT}};
    const struct kernel_measured *m = &w->result;
    const char *state = w->unconfirmed[0] ? "unconfirmed" : "ok";
    struct result_table *t = result_table(result, "loops", columns, sizeof columns / sizeof *columns);

    t->hide = NOT_TEXT | NOT_JSON;
    cell_text(t, w->kernel->name);
    cell_number(t, m->cycles);
    cell_number(t, m->spread);
    cell_text(t, state);
    if (w->unconfirmed[0])
        result_line(result, "%s: about %.2f cycles per iteration on this CPU, unconfirmed (%s); kernel measure --patience 30s waits longer, --cpu N takes another CPU", w->kernel->name, m->cycles,
                    w->unconfirmed);
    else
        result_line(result, "%s: %.2f cycles per iteration measured on this CPU (repeats within %.1f %%, %.2f GHz, %u page%s touched%s)", w->kernel->name, m->cycles,
                100 * m->spread, m->clock_hz / 1e9, m->pages, m->pages == 1 ? "" : "s", m->wraps ? ", more than the cache holds" : "");
    result_text(result, "kernel", w->kernel->name);
    result_nested(result, "measured", measured_json(m, state));
    if (!w->unconfirmed[0] && s->document.kernel == w->kernel && s->document.loop == w->loop)
        s->document.kernel_measured = m->cycles;
}

/* The rows that went into no file: CSV alone has them. */
static void add_rows(const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "hex", .kind = CELL_TEXT}, {.key = "cycles", .kind = CELL_NUMBER}, {.key = "spread", .kind = CELL_NUMBER}, {.key = "state", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "rows", columns, sizeof columns / sizeof *columns);

    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i < w->shown; i++) {
        const struct measured_row *row = &w->rows.items[i];
        cell_text(t, row->hex);
        cell_number(t, row->cycles);
        cell_number(t, row->spread);
        cell_text(t, row->fault ? row->fault : "ok");
    }
}

static void add_file(const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "blocks", .kind = CELL_COUNT, .width = 6}, {.key = "reason", .kind = CELL_TEXT}};
    const struct reasons *reasons = &w->reasons;
    json_t *list = json_object();

    result_line(result, "%zu of %zu block%s measured (%.1f %%) in %.1f s", w->measured, w->shown, w->shown == 1 ? "" : "s",
                w->shown ? 100.0 * (double)w->measured / (double)w->shown : 0, w->seconds);
    result_count(result, "blocks", (int64_t)w->shown);
    result_count(result, "measured", (int64_t)w->measured);
    result_number(result, "seconds", w->seconds);
    struct result_table *t = reasons->texts.count ? result_table(result, "failures", columns, sizeof columns / sizeof *columns) : NULL;
    if (t) {
        t->hide = NOT_CSV | NOT_JSON;
        t->headless = true;
    }
    for (size_t i = 0; i < reasons->texts.count; i++) {
        cell_count(t, (int64_t)reasons->counts.items[i]);
        cell_text(t, reasons->texts.items[i]);
        json_object_set_new(list, reasons->texts.items[i], json_integer((json_int_t)reasons->counts.items[i]));
    }
    result_nested(result, "reasons", list);
    if (!w->out)
        add_rows(w, result);
}

static bool measure_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct kernel_measuring *w = state;

    (void)err;
    if (w->kernel)
        add_loop(s, w, result);
    else
        add_file(w, result);
    return true;
}

/* What was measured of a file by then is shown. */
static void measure_failed(struct session *s, void *state, struct result *result, const struct err *err)
{
    const struct kernel_measuring *w = state;

    (void)s;
    (void)err;
    if (!w->kernel && w->shown)
        add_file(w, result);
}

static void measuring_free(void *state)
{
    struct kernel_measuring *w = state;
    kernel_free(w->kernel);
    free(w->in);
    free(w->out);
    for (size_t i = 0; i < w->rows.count; i++) {
        free(w->rows.items[i].hex);
        free(w->rows.items[i].fault);
    }
    vec_done(&w->rows);
    reasons_done(&w->reasons);
    free(w);
}

static bool take_loop(struct session *s, struct kernel_measuring *w, struct err *err)
{
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    if (s->document.kernel->isa != isa_host())
        return err_set(err, ERR_USAGE, "measure it on a machine for that instruction set", "this CPU runs %s, but the kernel is %s", isa_name(isa_host()), isa_name(s->document.kernel->isa));
    kernel_insns(s->document.kernel, s->document.loop, &count);
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N takes another loop", "the loop has no instructions");
    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.loop;
    return true;
}

struct kernel_measure_values {
    const char *file, *out;
    double patience;
};

static const struct parameter options[] = {
    {.name = "--file", .kind = PARAMETER_TEXT, .at = offsetof(struct kernel_measure_values, file), .value = "CSV", .otherwise = "measure the loaded kernel",
     .complete = COMPLETE_FILE, .help = "measure every block of a CSV with a column hex, or of BHive's without a header, instead"},
    {.name = "--out", .kind = PARAMETER_TEXT, .at = offsetof(struct kernel_measure_values, out), .value = "CSV", .otherwise = "rows are part of the CSV result",
     .complete = COMPLETE_FILE, .help = "with --file: CSV for the rows hex,cycles,spread,state, written as they are measured"},
    {.name = "--patience", .kind = PARAMETER_DURATION, .at = offsetof(struct kernel_measure_values, patience), .value = "T", .least = 0.1, .most = 8640000,
     .otherwise = "1.75s", .help = "of the loaded kernel: time to wait for a quiet core, in all; without one its time is unconfirmed"},
    {0},
};

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {.doing = "measures", .work = measure_run, .publish = measure_finish, .free = measuring_free, .failed = measure_failed, .listed = TASK_LISTED, .measures = job_measures_always, .counts = true};
    const struct kernel_measure_values *v = values;

    if (v->out && !v->file)
        return err_set(err, ERR_USAGE, "kernel measure --file CSV --out CSV", "--out needs --file");
    if (v->file && !isnan(v->patience))
        return err_set(err, ERR_USAGE, "kernel measure --patience T", "--patience is for the loaded kernel, not for --file");
    struct kernel_measuring *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->patience = isnan(v->patience) ? LOOP_PATIENCE : v->patience;
    w->in = v->file ? mem_strdup(v->file) : NULL;
    w->out = v->out ? mem_strdup(v->out) : NULL;
    if (!v->file && !take_loop(s, w, err)) {
        measuring_free(w);
        return false;
    }
    return task_give(task, &ops, w);
}

static const char *const examples[] = {"kernel measure", "kernel measure --patience 1s", "kernel measure --file blocks.csv --out measured.csv", NULL};

const struct command command_kernel_measure = {
    .name = "kernel measure",
    .help = "measure cycles per iteration of the kernel, or of every block of a file, on this CPU",
    .description = "The code runs in a sandboxed process; registers and memory are set up so that every address is valid. Where other tasks use the core, what was seen is shown as unconfirmed, and the "
                   "command succeeds.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct kernel_measure_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
