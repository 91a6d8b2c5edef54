/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file_stream.h"
#include "cmd/command.h"
#include "cmd/options.h"
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

/* The job: one loop or the blocks of a file, on the worker; what it found is printed by the UI thread at the end. */
struct measuring {
    struct session *session;
    struct job *job;
    char *name, *hex;                /* of the loaded loop; NULL for a file */
    struct kernel *kernel;           /* held, to know it again; not looked into */
    size_t loop;
    char *in, *out;                  /* of a file */
    struct kernel_measured result;
    struct str rows;
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
    struct kernel *kernel = kernel_from_hex(isa_host(), hex, err);
    size_t count;
    const struct insn *insns = kernel ? kernel_insns(kernel, &count) : NULL;
    bool ok = insns && kernel_run(sandbox, calibration, insns, count, out, err);
    kernel_free(kernel);
    return ok;
}

/* Rows go into the file as they come, or else are kept for the output: cancelling loses none. */
static bool rows_flush(struct measuring *w, struct file_stream *out, struct err *err)
{
    bool ok = !out || file_stream_add(out, w->rows.data, w->rows.length, err);
    if (out)
        str_clear(&w->rows);
    return ok;
}

static bool measure_rows(struct measuring *w, struct sandbox *sandbox, const struct calibration *calibration, const struct csv_table *table, size_t column,
                         struct file_stream *out, struct err *err)
{
    bool ok;

    str_add(&w->rows, "hex,cycles,spread,state\n");
    ok = rows_flush(w, out, err);
    for (size_t i = 0; ok && i < table->count; i++) {
        struct err fault = {0};
        struct kernel_measured m;
        bool measured = measure_block(sandbox, calibration, table->rows[i][column], &m, &fault);
        if (!measured && cancelled(w))
            return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
        csv_add_field(&w->rows, table->rows[i][column], false);
        if (measured)
            str_addf(&w->rows, "%.6g,%.4g,", m.cycles, m.spread);
        else
            str_add(&w->rows, ",,");
        csv_add_field(&w->rows, measured ? "ok" : fault.what, true);
        w->measured += measured;
        w->blocks++;
        if (!measured)
            reasons_add(&w->reasons, fault.what);
        job_progress(w->job, (double)w->blocks, (double)table->count, "%zu measured", w->measured);
        ok = rows_flush(w, out, err) && (!cancelled(w) || err_set(err, ERR_INTERRUPTED, NULL, "cancelled"));
    }
    return ok;
}

static bool measure_file(struct measuring *w, struct sandbox *sandbox, const struct calibration *calibration, struct err *err)
{
    struct csv_table *table = csv_table_read(w->in, err);
    int column = table ? csv_table_column(table, "hex") : -1;
    struct file_stream *out = NULL;

    if (table && column < 0) {
        err_set(err, ERR_DATA, "name it hex", "there is no column of machine code");
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
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:i, s:b}", "cycles", m->cycles, "spread", m->spread, "clock_hz", m->clock_hz, "repeats", (int)m->repeats, "pages",
                     (int)m->pages, "iterations", (int)m->iterations, "wraps", m->wraps);
}

static void print_loop(struct session *s, const struct measuring *w)
{
    const struct kernel_measured *m = &w->result;

    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:o}", "kernel", w->name, "measured", measured_json(m)));
    else if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "kernel,cycles,spread\n%s,%.17g,%.6g\n", w->name, m->cycles, m->spread);
    else
        str_addf(&s->output, "%s: %.2f cycles per iteration measured on this CPU (repeats within %.1f %%, %.2f GHz, %u page%s touched%s)\n", w->name, m->cycles,
                 100 * m->spread, m->clock_hz / 1e9, m->pages, m->pages == 1 ? "" : "s", m->wraps ? ", more than stay in the cache" : "");
    if (s->document.kernel == w->kernel && s->document.kernel->current == w->loop)
        s->document.kernel_measured = m->cycles;
}

static void print_file(struct session *s, const struct measuring *w)
{
    const struct reasons *reasons = &w->reasons;

    if (s->settings.format == FORMAT_CSV && !w->out) {
        str_add_bytes(&s->output, w->rows.data, w->rows.length);
        return;
    }
    if (s->settings.format == FORMAT_JSON) {
        json_t *list = json_object();
        for (size_t i = 0; i < reasons->texts.count; i++)
            json_object_set_new(list, reasons->texts.items[i], json_integer((json_int_t)reasons->counts.items[i]));
        session_json(s, json_pack("{s:I, s:I, s:f, s:o}", "blocks", (json_int_t)w->blocks, "measured", (json_int_t)w->measured, "seconds", w->seconds, "reasons", list));
        return;
    }
    str_addf(&s->output, "%zu of %zu blocks measured (%.1f %%) in %.1f s\n", w->measured, w->blocks, w->blocks ? 100.0 * (double)w->measured / (double)w->blocks : 0,
             w->seconds);
    for (size_t i = 0; i < reasons->texts.count; i++)
        str_addf(&s->output, "%6zu  %s\n", reasons->counts.items[i], reasons->texts.items[i]);
}

static void measure_finish(void *state, const struct job_info *info)
{
    struct measuring *w = state;

    if (w->hex && info->state == JOB_DONE)
        print_loop(w->session, w);
    else if (!w->hex && (info->state == JOB_DONE || w->blocks))
        print_file(w->session, w);
}

static void measuring_free(void *state)
{
    struct measuring *w = state;
    kernel_free(w->kernel);
    free(w->name);
    free(w->hex);
    free(w->in);
    free(w->out);
    str_done(&w->rows);
    reasons_done(&w->reasons);
    free(w);
}

/* The loop's bytes, since the kernel may change while it is measured. */
static bool take_loop(struct session *s, struct measuring *w, struct err *err)
{
    struct str hex = {0};
    size_t count;

    if (!s->document.kernel)
        return err_set(err, ERR_USAGE, "kernel load FILE", "no kernel is loaded");
    if (s->document.kernel->isa != isa_host())
        return err_set(err, ERR_USAGE, "measure it on a machine of its own", "this CPU runs %s, and the kernel is %s", isa_name(isa_host()), isa_name(s->document.kernel->isa));
    const struct insn *insns = kernel_insns(s->document.kernel, &count);
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N takes another loop", "the loop has no instructions");
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < insns[i].length; k++)
            str_addf(&hex, "%02x", insns[i].bytes[k]);
    w->hex = str_take(&hex);
    w->name = mem_strdup(s->document.kernel->name);
    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.kernel->current;
    return true;
}

bool cmd_kernel_measure(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {measure_run, measure_finish, measuring_free};
    const char *in = NULL, *out = NULL;
    const struct legacy_option options[] = {{"--file", OPTION_TEXT, &in}, {"--out", OPTION_TEXT, &out}, {NULL, OPTION_FLAG, NULL}};
    size_t words;

    if (!options_parse(argc, argv, options, NULL, 0, &words, err))
        return false;
    if (out && !in)
        return err_set(err, ERR_USAGE, "kernel measure --file CSV --out CSV", "--out needs --file");
    struct measuring *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->in = in ? mem_strdup(in) : NULL;
    w->out = out ? mem_strdup(out) : NULL;
    if (!in && !take_loop(s, w, err)) {
        measuring_free(w);
        return false;
    }
    return session_job(s, in ? "kernel measure --file" : "kernel measure", "measures", &ops, w, err);
}
