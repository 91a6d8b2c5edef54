/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/command.h"
#include "io/csv.h"
#include "measure/kernel_run.h"

/* A sandbox that knows the machine; opened for the command and closed after it. */
struct bench_place { struct sandbox *sandbox; struct calibration calibration; };

static bool place_open(struct bench_place *place, struct err *err)
{
    place->sandbox = sandbox_new(-1, err);
    return place->sandbox && calibrate(place->sandbox, NULL, NULL, &place->calibration, err);
}

static json_t *measured_json(const struct kernel_measured *m)
{
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:i, s:b}", "cycles", m->cycles, "spread", m->spread, "clock_hz", m->clock_hz, "repeats", (int)m->repeats, "pages",
                     (int)m->pages, "iterations", (int)m->iterations, "wraps", m->wraps);
}

static bool measure_loaded(struct session *s, struct err *err)
{
    struct bench_place place;
    struct kernel_measured m;
    size_t count;
    bool ok = false;

    if (!s->kernel)
        return err_set(err, ERR_USAGE, "kernel load FILE", "no kernel is loaded");
    const struct insn *insns = kernel_insns(s->kernel, &count);
    if (place_open(&place, err) && kernel_run(place.sandbox, &place.calibration, insns, count, &m, err)) {
        ok = true;
        if (s->format == FORMAT_JSON)
            session_json(s, json_pack("{s:s, s:o}", "kernel", s->kernel->name, "measured", measured_json(&m)));
        else if (s->format == FORMAT_CSV)
            str_addf(&s->output, "kernel,cycles,spread\n%s,%.17g,%.6g\n", s->kernel->name, m.cycles, m.spread);
        else
            str_addf(&s->output, "%s: %.2f cycles per iteration measured on this CPU (repeats within %.1f %%, %.2f GHz, %u pages touched%s)\n", s->kernel->name, m.cycles,
                     100 * m.spread, m.clock_hz / 1e9, m.pages, m.wraps ? ", more than stay in the cache" : "");
    }
    sandbox_free(place.sandbox);
    return ok;
}

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

static void block_measure(struct bench_place *place, const char *hex, struct str *rows, struct reasons *reasons, size_t *measured)
{
    struct err err = {0};
    struct kernel_measured m;
    size_t count;
    struct kernel *kernel = kernel_from_hex(hex, &err);
    const struct insn *insns = kernel ? kernel_insns(kernel, &count) : NULL;
    bool ok = insns && kernel_run(place->sandbox, &place->calibration, insns, count, &m, &err);

    csv_add_field(rows, hex, false);
    if (ok)
        str_addf(rows, "%.6g,%.4g,", m.cycles, m.spread);
    else
        str_add(rows, ",,");
    csv_add_field(rows, ok ? "ok" : err.what, true);
    if (ok)
        ++*measured;
    else
        reasons_add(reasons, err.what);
    kernel_free(kernel);
}

static void print_bulk(struct session *s, size_t n, size_t measured, double seconds, const struct reasons *reasons)
{
    if (s->format == FORMAT_JSON) {
        json_t *list = json_object();
        for (size_t i = 0; i < reasons->texts.count; i++)
            json_object_set_new(list, reasons->texts.items[i], json_integer((json_int_t)reasons->counts.items[i]));
        session_json(s, json_pack("{s:I, s:I, s:f, s:o}", "blocks", (json_int_t)n, "measured", (json_int_t)measured, "seconds", seconds, "reasons", list));
        return;
    }
    str_addf(&s->output, "%zu of %zu blocks measured (%.1f %%) in %.1f s\n", measured, n, n ? 100.0 * (double)measured / (double)n : 0, seconds);
    for (size_t i = 0; i < reasons->texts.count; i++)
        str_addf(&s->output, "%6zu  %s\n", reasons->counts.items[i], reasons->texts.items[i]);
}

static bool measure_file(struct session *s, const char *in, const char *out, struct err *err)
{
    struct csv_table *table = csv_table_read(in, err);
    struct bench_place place = {0};
    struct str rows = {0};
    struct reasons reasons = {0};
    size_t measured = 0;
    double begun = clock_seconds();
    bool ok = false;

    if (!table)
        return false;
    int column = csv_table_column(table, "hex");
    if (column < 0) {
        err_set(err, ERR_DATA, "name it hex", "there is no column of machine code");
        err_at(err, in, 1, 1);
        goto done;
    }
    if (!place_open(&place, err))
        goto done;
    str_add(&rows, "hex,cycles,spread,state\n");
    for (size_t i = 0; i < table->count; i++)
        block_measure(&place, table->rows[i][column], &rows, &reasons, &measured);
    ok = !out || file_write(out, rows.data, rows.length, err);
    if (ok && !out && s->format == FORMAT_CSV)
        str_add_bytes(&s->output, rows.data, rows.length);
    else if (ok)
        print_bulk(s, table->count, measured, clock_seconds() - begun, &reasons);
done:
    sandbox_free(place.sandbox);
    reasons_done(&reasons);
    str_done(&rows);
    csv_table_free(table);
    return ok;
}

bool cmd_kernel_measure(struct session *s, int argc, char **argv, struct err *err)
{
    const char *in = NULL, *out = NULL;

    for (int i = 1; i < argc; i++) {
        const char **target = strcmp(argv[i], "--file") == 0 ? &in : strcmp(argv[i], "--out") == 0 ? &out : NULL;
        if (!target || i + 1 == argc)
            return err_set(err, ERR_USAGE, "kernel measure [--file CSV [--out CSV]]", "\"%s\" was not expected here", argv[i]);
        *target = argv[++i];
    }
    if (out && !in)
        return err_set(err, ERR_USAGE, "kernel measure --file CSV --out CSV", "--out needs --file");
    return in ? measure_file(s, in, out, err) : measure_loaded(s, err);
}
