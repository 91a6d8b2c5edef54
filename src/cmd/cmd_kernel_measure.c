/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file_stream.h"
#include "cmd/command.h"
#include "base/csv.h"
#include "measure/kernel_run.h"
#include "work/job.h"

/* How often each reason was given. */
struct reasons { VEC(char *) texts; VEC(size_t) counts; };

static void reasons_add(struct reasons *r, const char *text)
{
    /* Addresses and numbers make no reason of their own. */
    size_t length = strcspn(text, ":(");
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
    char *hex, *fault;               /* fault NULL: measured */
    double cycles, spread;
};

/* The job: one loop or the blocks of a file, on the worker; the UI thread makes the result of what it found. */
struct measuring {
    struct session *session;
    struct job *job;
    char *name, *hex;                /* of the loaded loop; NULL for a file */
    const struct kernel *kernel;     /* held, to know it again; not looked into */
    size_t loop;
    char *in, *out;                  /* of a file */
    struct kernel_measured result;
    VEC(struct measured_row) rows;   /* of a file, unless they go into one */
    struct reasons reasons;
    size_t blocks, measured;
    double seconds;
};

static bool cancelled(void *state)
{
    return job_cancelled(((struct measuring *)state)->job);
}

static bool measure_block(struct sandbox *sandbox, const struct calibration *calibration, const char *hex, struct kernel_measured *out, struct err *err)
{
    const struct kernel *kernel = kernel_from_hex(isa_host(), hex, err);
    size_t count;
    const struct insn *insns = kernel ? kernel_insns(kernel, 0, &count) : NULL;
    bool ok = insns && kernel_run(sandbox, calibration, insns, count, out, err);
    kernel_free(kernel);
    return ok;
}

/* Rows go into the file as they come, or else are kept for the result: cancelling loses none. */
static bool take_row(struct measuring *w, const char *hex, const struct kernel_measured *m, const char *fault, struct file_stream *out, struct err *err)
{
    struct str text = {0};

    if (!out) {
        vec_push(&w->rows, ((struct measured_row){mem_strdup(hex), fault ? mem_strdup(fault) : NULL, fault ? NAN : m->cycles, fault ? NAN : m->spread}));
        return true;
    }
    csv_add_field(&text, hex, false);
    if (fault)
        str_add(&text, ",,");
    else
        str_addf(&text, "%.6g,%.4g,", m->cycles, m->spread);
    csv_add_field(&text, fault ? fault : "ok", true);
    bool ok = file_stream_add(out, text.data, text.length, err);
    str_done(&text);
    return ok;
}

static bool measure_rows(struct measuring *w, struct sandbox *sandbox, const struct calibration *calibration, const struct csv_table *table, size_t column,
                         struct file_stream *out, struct err *err)
{
    static const char header[] = "hex,cycles,spread,state\n";
    bool ok = !out || file_stream_add(out, header, sizeof header - 1, err);

    for (size_t i = 0; ok && i < table->count; i++) {
        struct err fault = {0};
        struct kernel_measured m;
        bool measured = measure_block(sandbox, calibration, table->rows[i][column], &m, &fault);
        if (!measured && cancelled(w))
            return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
        ok = take_row(w, table->rows[i][column], &m, measured ? NULL : fault.what, out, err);
        w->measured += measured;
        w->blocks++;
        if (!measured)
            reasons_add(&w->reasons, fault.what);
        job_progress(w->job, (double)w->blocks, (double)table->count, "%zu measured", w->measured);
        ok = ok && (!cancelled(w) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled"));
    }
    return ok;
}

static bool measure_file(struct measuring *w, struct sandbox *sandbox, const struct calibration *calibration, struct err *err)
{
    struct csv_table *table = csv_table_read(w->in, err);
    int column = table ? csv_table_column(table, "hex") : -1;
    struct file_stream *out = NULL;

    if (table && column < 0) {
        err_set(err, ERR_DATA, "begin with hex,cycles or hex", "the column hex is missing");
        err_at(err, w->in, 1, 1);
    }
    bool ok = column >= 0 && (!w->out || (out = file_stream_new(w->out, err)) != NULL);
    ok = ok && measure_rows(w, sandbox, calibration, table, (size_t)column, out, err);
    ok = file_stream_close(out, ok ? err : NULL) && ok;
    csv_table_free(table);
    return ok;
}

static bool measure_run(struct job *job, void *state, struct err *err)
{
    struct measuring *w = state;
    struct calibration calibration;
    double begun = clock_seconds();

    w->job = job;
    struct sandbox *sandbox = sandbox_new(-1, err);
    bool ok = sandbox && calibrate(sandbox, cancelled, w, &calibration, err);
    if (ok)
        sandbox_cancel_by(sandbox, cancelled, w);
    ok = ok && (w->hex ? measure_block(sandbox, &calibration, w->hex, &w->result, err) : measure_file(w, sandbox, &calibration, err));
    sandbox_free(sandbox);
    w->seconds = clock_seconds() - begun;
    return ok;
}

static json_t *measured_json(const struct kernel_measured *m)
{
    return json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:b}", "cycles", json_number(m->cycles), "spread", json_number(m->spread), "clock_hz", json_number(m->clock_hz),
                     "repeats", (int)m->repeats, "pages", (int)m->pages, "iterations", (int)m->iterations, "wraps", m->wraps);
}

static void add_loop(struct session *s, const struct measuring *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "kernel", .kind = CELL_TEXT}, {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2}, {.key = "spread", .kind = CELL_NUMBER, .decimals = 4}};
    const struct kernel_measured *m = &w->result;
    struct result_table *t = result_table(result, "loops", columns, sizeof columns / sizeof *columns);

    t->hide = NOT_TEXT | NOT_JSON;
    cell_text(t, w->name);
    cell_number(t, m->cycles);
    cell_number(t, m->spread);
    result_line(result, "%s: %.2f cycles per iteration measured on this CPU (repeats within %.1f %%, %.2f GHz, %u page%s touched%s)", w->name, m->cycles,
                100 * m->spread, m->clock_hz / 1e9, m->pages, m->pages == 1 ? "" : "s", m->wraps ? ", more than the cache holds" : "");
    result_text(result, "kernel", w->name);
    result_nested(result, "measured", measured_json(m));
    if (s->document.kernel == w->kernel && s->document.loop == w->loop)
        s->document.kernel_measured = m->cycles;
}

/* The rows that went into no file: CSV alone has them. */
static void add_rows(const struct measuring *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "hex", .kind = CELL_TEXT}, {.key = "cycles", .kind = CELL_NUMBER}, {.key = "spread", .kind = CELL_NUMBER}, {.key = "state", .kind = CELL_TEXT}};
    struct result_table *t = result_table(result, "rows", columns, sizeof columns / sizeof *columns);

    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct measured_row *row = &w->rows.items[i];
        cell_text(t, row->hex);
        cell_number(t, row->cycles);
        cell_number(t, row->spread);
        cell_text(t, row->fault ? row->fault : "ok");
    }
}

static void add_file(const struct measuring *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "blocks", .kind = CELL_COUNT, .width = 6}, {.key = "reason", .kind = CELL_TEXT}};
    const struct reasons *reasons = &w->reasons;
    json_t *list = json_object();

    result_line(result, "%zu of %zu block%s measured (%.1f %%) in %.1f s", w->measured, w->blocks, w->blocks == 1 ? "" : "s",
                w->blocks ? 100.0 * (double)w->measured / (double)w->blocks : 0, w->seconds);
    result_count(result, "blocks", (int64_t)w->blocks);
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

static void measure_finish(void *state, const struct job_info *info)
{
    struct measuring *w = state;

    if (w->hex && info->state == JOB_DONE)
        add_loop(w->session, w, w->session->result);
    else if (!w->hex && (info->state == JOB_DONE || w->blocks))
        add_file(w, w->session->result);
}

static void measuring_free(void *state)
{
    struct measuring *w = state;
    kernel_free(w->kernel);
    free(w->name);
    free(w->hex);
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

/* The loop's bytes, since the kernel may change while it is measured. */
static bool take_loop(struct session *s, struct measuring *w, struct err *err)
{
    struct str hex = {0};
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    if (s->document.kernel->isa != isa_host())
        return err_set(err, ERR_USAGE, "measure it on a machine for that instruction set", "this CPU runs %s, but the kernel is %s", isa_name(isa_host()), isa_name(s->document.kernel->isa));
    const struct insn *insns = kernel_insns(s->document.kernel, s->document.loop, &count);
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N takes another loop", "the loop has no instructions");
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].length; k++)
            str_addf(&hex, "%02x", insns[i].bytes[k]);
    w->hex = str_take(&hex);
    w->name = mem_strdup(s->document.kernel->name);
    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.loop;
    return true;
}

struct measure_values {
    const char *file, *out;
};

static const struct parameter options[] = {
    {.name = "--file", .kind = PARAMETER_TEXT, .at = offsetof(struct measure_values, file), .value = "CSV", .otherwise = "measure the loaded kernel",
     .complete = COMPLETE_FILE, .help = "measure every block of a CSV with a column hex instead"},
    {.name = "--out", .kind = PARAMETER_TEXT, .at = offsetof(struct measure_values, out), .value = "CSV", .otherwise = "rows are part of the CSV result",
     .complete = COMPLETE_FILE, .help = "with --file: CSV for the rows hex,cycles,spread,state, written as they are measured"},
    {0},
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct job_ops ops = {measure_run, measure_finish, measuring_free};
    const struct measure_values *v = values;

    (void)result;   /* the job's finish function fills it */
    if (v->out && !v->file)
        return err_set(err, ERR_USAGE, "kernel measure --file CSV --out CSV", "--out needs --file");
    struct measuring *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->in = v->file ? mem_strdup(v->file) : NULL;
    w->out = v->out ? mem_strdup(v->out) : NULL;
    if (!v->file && !take_loop(s, w, err)) {
        measuring_free(w);
        return false;
    }
    return session_job(s, v->file ? "kernel measure --file" : "kernel measure", "measures", &ops, w, err);
}

static const char *const examples[] = {"kernel measure", "kernel measure --file blocks.csv --out measured.csv", NULL};

const struct command command_kernel_measure = {
    .name = "kernel measure",
    .help = "measure cycles per iteration of the kernel, or of every block of a file, on this CPU",
    .description = "The code runs in a sandboxed process; registers and memory are set up so that every address is valid.",
    .options = options,
    .examples = examples,
    .values_size = sizeof(struct measure_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .run = run,
};
