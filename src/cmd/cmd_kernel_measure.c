/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/streams.h"
#include "base/clock.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/file_stream.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "isa/cpu.h"
#include "measure/block_times.h"
#include "measure/record.h"
#include "measure/runner.h"
#include "work/job.h"

/* maximum number of measurements of a loop whose time is below a bound, each with new processes */
#define BELOW_TRIES 3
#define PATIENT "kernel measure --patience 30s waits longer"

/* distinct reasons, and the number of blocks with each */
struct reasons { VEC(char *) texts; VEC(size_t) counts; };

static void reasons_add(struct reasons *r, const char *text)
{
    /* Ignores the text after ':' or '('. Reasons that differ only in addresses, numbers or
     * instructions count as one reason. */
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
    vec_free_texts(&r->texts);
    vec_done(&r->counts);
}

/* State of the job of kernel measure. The worker measures the loaded loop or the blocks of a file;
 * the UI thread makes the result. */
struct kernel_measuring {
    struct session *session;
    const struct kernel *kernel;     /* counted reference; NULL: a file is measured */
    size_t loop;
    double patience;                 /* maximum seconds to wait for a stable clock */
    struct machine *machine;         /* machine of this CPU (counted reference); NULL: unknown */
    struct block_work *bounds;       /* bounds on @machine; NULL: unknown */
    struct block_time time;          /* measured time of the loop */
    /* whether the time is unconfirmed, because it is below a bound of this CPU */
    bool below;
    /* front end's cycles per iteration at the loop's own address on @machine, if they limit the
     * loop there and depend on the address; otherwise NaN */
    double placed;
    const char *in, *out;
    VEC(char *) hex;                 /* blocks of the file */
    struct block_rows rows;          /* results of the blocks */
    const struct kernel *block;
    struct file_stream *stream;      /* stream that writes @out; NULL: @out is not written */
    struct reasons reasons;
    struct runner_estimate estimate;
    double seconds;
};

static const struct insn *open_block(void *state, size_t i, size_t *count, struct err *err)
{
    struct kernel_measuring *w = state;

    w->block = kernel_from_hex(isa_host(), w->hex.items[i], err);
    return w->block ? kernel_insns(w->block, 0, count) : NULL;
}

static void close_block(void *state)
{
    struct kernel_measuring *w = state;

    kernel_free(w->block);
    w->block = NULL;
}

static void begin_record(void *state, const struct calibration *c)
{
    char name[64];
    record_begin(((struct kernel_measuring *)state)->session->document.record,
                 cpu_name(name, sizeof name), c);
}

/* Records the state of the core for the machine view. */
static void record_visit(void *state, const struct kernel_measured *m)
{
    const struct kernel_measuring *w = state;
    /* If all windows were lost, the contended share is NaN or 1, and one lost window is counted. */
    const double lost = m->contended < 1 ? m->windows * m->contended / (1 - m->contended) : 1;

    record_windows(w->session->document.record, clock_seconds() - w->rows.begun, m->clock_hz,
                   m->windows, (unsigned)ceil(lost), 0);
}

/* Reports the progress, and an estimate of the time for the remaining blocks. */
static void tell_progress(void *state, const struct block_rows *rows)
{
    struct kernel_measuring *w = state;
    const double seconds = clock_seconds() - rows->begun,
                 left = (double)(rows->count - rows->settled);
    const double seconds_left = runner_estimate(
        &w->estimate, seconds, rows->settled ? seconds * left / (double)rows->settled : NAN);
    struct str text = {0};

    if (left > 0 && seconds_left >= 0)
        duration_print(seconds_left, &text);
    job_progress((double)rows->settled, (double)rows->count, "%s%s%zu of %zu measured",
                 str_text(&text), text.length ? " left, " : "", rows->measured, rows->count);
    str_done(&text);
}

/* Appends "ok", or the reason why the time is missing or unconfirmed. */
static void row_state(const struct kernel_measuring *w, size_t i, struct str *out)
{
    const struct block_row *row = &w->rows.items[i];
    struct err ignored = {0};
    struct str reason = {0};
    size_t count;
    const struct kernel *k =
        row->fault || !w->bounds ? NULL : kernel_from_hex(isa_host(), w->hex.items[i], &ignored);
    const struct insn *insns = k ? kernel_insns(k, 0, &count) : NULL;

    if (row->fault)
        str_add(out, row->fault);
    else if (insns && bounds_refute(w->bounds, insns, count, row->cycles, &reason))
        str_addf(out, "unconfirmed: %s", str_text(&reason));
    else
        str_add(out, "ok");
    kernel_free(k);
    str_done(&reason);
}

static void row_add(struct str *text, const struct kernel_measuring *w, size_t i)
{
    struct str state = {0};
    const struct block_row *row = &w->rows.items[i];

    csv_add_field(text, w->hex.items[i], false);
    if (row->fault)
        str_add(text, ",,");
    else
        str_addf(text, "%.6g,%.4g,", row->cycles, row->spread);
    row_state(w, i, &state);
    csv_add_field(text, str_text(&state), true);
    str_done(&state);
}

/* Writes rows in block order while results arrive. A cancelled job therefore loses no finished
 * row. */
static bool rows_write(void *state, const struct block_rows *rows, size_t from, size_t until,
                       struct err *err)
{
    const struct kernel_measuring *w = state;
    struct str text = {0};

    for (size_t i = from; w->stream && i < until; i++)
        row_add(&text, w, i);
    bool ok = !w->stream || file_stream_add(w->stream, text.data, text.length, err);
    str_done(&text);
    return ok;
}

static const char header[] = "hex,cycles,spread,state\n";

/* Rewrites the file, because later results may have changed the state of rows that are already
 * written. */
static bool file_improve(const struct kernel_measuring *w, struct err *err)
{
    struct str text = {0};

    str_add(&text, header);
    for (size_t i = 0; i < w->rows.shown; i++)
        row_add(&text, w, i);
    bool ok = file_write(w->out, text.data, text.length, err);
    str_done(&text);
    return ok;
}

static bool read_blocks(struct kernel_measuring *w, struct err *err)
{
    struct csv_table *table = csv_table_read(w->in, err);
    int column = table ? csv_table_column(table, "hex") : -1;

    /* A first row of hex digits is data, because the BHive format has no header. */
    if (table && column < 0 && table->columns && text_is_hex(table->header[0])) {
        column = 0;
        vec_push(&w->hex, mem_strdup(table->header[0]));
    }
    if (table && column < 0) {
        err_set(err, ERR_DATA, "the first line must be hex,cycles or hex",
                "the column hex is missing");
        err_at(err, w->in, 1, 1);
    }
    for (size_t i = 0; column >= 0 && i < table->count; i++)
        vec_push(&w->hex, mem_strdup(table->rows[i][column]));
    csv_table_free(table);
    return column >= 0;
}

static bool measure_file(struct kernel_measuring *w, struct err *err)
{
    const struct block_hooks hooks = {job_cancelled, open_block,    close_block, begin_record,
                                      record_visit,  tell_progress, rows_write,  w};
    bool ok =
        read_blocks(w, err) && (!w->out || (w->stream = file_stream_new(w->out, err)) != NULL);

    ok = ok && (!w->stream || file_stream_add(w->stream, header, sizeof header - 1, err)) &&
         block_rows_measure(w->hex.count, &hooks, &w->rows, err);
    bool closed = file_stream_close(w->stream, ok ? err : NULL);
    if (w->stream && closed && w->rows.improved)
        closed = file_improve(w, ok ? err : NULL);
    w->stream = NULL;
    for (size_t i = 0; i < w->rows.shown; i++)
        if (w->rows.items[i].fault)
            reasons_add(&w->reasons, w->rows.items[i].fault);
    return ok && closed;
}

/* Returns the value of kernel_measuring.placed. The measurement cannot show this limit, because it
 * runs copies of the loop at other addresses. NaN: there is no machine or no loop, or the address
 * does not limit the loop. */
static double placed_cycles(struct block_work *work, const struct insn *insns, size_t count)
{
    const struct block_options options = {.shape = shape_of(insns, count),
                                          .align = count ? (unsigned)(insns[0].offset % 64) : 0};
    struct bounds b;

    if (!work || options.shape != SHAPE_LOOP)
        return NAN;
    bounds_of(work, insns, count, &options, false, &b);
    return b.frontend.cycles >= b.total &&
                   (b.frontend.by_windows || b.frontend.crowded || b.frontend.jcc_erratum)
               ? b.frontend.cycles
               : NAN;
}

static bool measure_loop(struct kernel_measuring *w, struct err *err)
{
    size_t count;
    const struct insn *insns = kernel_insns(w->kernel, w->loop, &count);

    w->placed = placed_cycles(w->bounds, insns, count);
    for (unsigned i = 0; i < BELOW_TRIES; i++) {
        struct str reason = {0};
        struct block_time time;
        if (!block_time(insns, count, w->patience, job_cancelled, NULL, &time, err))
            break;
        w->time = time;
        w->below = !time.unconfirmed[0] && w->bounds &&
                   bounds_refute(w->bounds, insns, count, time.measured.cycles, &reason);
        if (w->below)
            snprintf(w->time.unconfirmed, sizeof w->time.unconfirmed, "%s", str_text(&reason));
        str_done(&reason);
        if (!w->below)
            return true;
    }
    if (w->below && err->code != ERR_INTERRUPTED) {
        err_clear(err);
        return true;
    }
    if (err->code == ERR_LIMIT && strcmp(err->todo, BLOCK_WAIT_LONGER) == 0)
        snprintf(err->todo, sizeof err->todo, "%s", PATIENT);
    return false;
}

static bool measure_run(void *state, struct result *result, struct err *err)
{
    struct kernel_measuring *w = state;
    const double begun = clock_seconds();

    w->bounds = w->machine ? block_work_new(w->machine) : NULL;
    bool ok = w->kernel ? measure_loop(w, err) : measure_file(w, err);
    w->seconds = clock_seconds() - begun;
    return ok;
}

static json_t *measured_json(const struct kernel_measured *m, const char *state)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:b}", "state", state, "cycles",
                     json_number(m->cycles), "spread", json_number(m->spread), "clock_hz",
                     json_number(m->clock_hz), "repeats", (int)m->repeats, "pages", (int)m->pages,
                     "iterations", (int)m->iterations, "wraps", m->wraps);
}

/* Adds the assumption of the measured time: all accesses hit the first-level cache. */
static void add_data(const struct kernel *k, size_t loop, struct result *result)
{
    struct streams streams;
    struct str text = {0};
    bool gathers = false, chases = false;
    size_t count;
    const struct insn *insns = kernel_insns(k, loop, &count);

    streams_find(insns, count, &streams);
    for (size_t i = 0; i < streams.items.count; i++) {
        gathers |= streams.items.items[i].kind == STREAM_GATHER;
        chases |= streams.items.items[i].kind == STREAM_CHASE;
    }
    if (streams.items.count) {
        str_add(&text, "in the first-level cache");
        if (gathers)
            str_add(&text, "; all indices are equal: all accesses use one element (kernel memory "
                           "--measure uses random indices)");
        if (chases)
            str_add(&text, "; all loaded pointers are equal (kernel memory --measure uses a ring "
                           "of pointers)");
        result_line(result, "data: %s", str_text(&text));
        result_text(result, "data", str_text(&text));
    }
    str_done(&text);
    streams_done(&streams);
}

/* Adds the effect of the address, which the copies do not have. Does nothing if the effect is
 * unknown. */
static void add_layout(const struct kernel_measuring *w, struct result *result)
{
    struct str text = {0};

    if (isnan(w->placed))
        return;
    str_addf(&text,
             "the measured copies are at other addresses; at the loop's own address, the front end "
             "takes %.2f cycles (%s)",
             w->placed, w->machine->id);
    result_line(result, "layout: %s", str_text(&text));
    result_text(result, "layout", str_text(&text));
    str_done(&text);
}

static void add_loop(struct session *s, const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "kernel", .kind = CELL_TEXT},
        {.key = "cycles", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "state", .kind = CELL_TEXT}};
    const struct kernel_measured *m = &w->time.measured;
    const char *state = w->time.unconfirmed[0] ? "unconfirmed" : "ok";
    struct result_table *t = RESULT_TABLE(result, "loops", columns);

    t->hide = NOT_TEXT | NOT_JSON;
    cell_text(t, w->kernel->name);
    cell_number(t, m->cycles);
    cell_number(t, m->spread);
    cell_text(t, state);
    if (w->time.unconfirmed[0])
        result_line(result, "%s: about %.2f cycles per iteration on this CPU, unconfirmed (%s); %s",
                    w->kernel->name, m->cycles, w->time.unconfirmed,
                    w->below ? "machine check compares the machine's tables with this CPU"
                             : PATIENT);
    else
        result_line(result,
                    "%s: %.2f cycles per iteration measured on this CPU (repeats within %.1f %%, "
                    "%.2f GHz, %u page%s accessed%s)",
                    w->kernel->name, m->cycles, 100 * m->spread, m->clock_hz / 1e9, m->pages,
                    plural(m->pages), m->wraps ? ", more than the cache can store" : "");
    add_data(w->kernel, w->loop, result);
    add_layout(w, result);
    result_text(result, "kernel", w->kernel->name);
    result_nested(result, "measured", measured_json(m, state));
    if (!w->time.unconfirmed[0] && s->document.kernel == w->kernel && s->document.loop == w->loop)
        s->document.kernel_measured = m->cycles;
}

/* Adds the rows that were not written to a file, for CSV. */
static void add_rows(const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {{.key = "hex", .kind = CELL_TEXT},
                                                   {.key = "cycles", .kind = CELL_NUMBER},
                                                   {.key = "spread", .kind = CELL_NUMBER},
                                                   {.key = "state", .kind = CELL_TEXT}};
    struct result_table *t = RESULT_TABLE(result, "rows", columns);

    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i < w->rows.shown; i++) {
        const struct block_row *row = &w->rows.items[i];
        cell_text(t, w->hex.items[i]);
        cell_number(t, row->cycles);
        cell_number(t, row->spread);
        struct str state = {0};
        row_state(w, i, &state);
        cell_text(t, str_text(&state));
        str_done(&state);
    }
}

static void add_file(const struct kernel_measuring *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "blocks", .kind = CELL_COUNT, .width = 6}, {.key = "reason", .kind = CELL_TEXT}};
    const struct reasons *reasons = &w->reasons;
    json_t *list = json_object();

    result_line(result, "%zu of %zu block%s measured (%.1f %%) in %.1f s", w->rows.measured,
                w->rows.shown, plural(w->rows.shown),
                w->rows.shown ? 100.0 * (double)w->rows.measured / (double)w->rows.shown : 0,
                w->seconds);
    result_count(result, "blocks", (int64_t)w->rows.shown);
    result_count(result, "measured", (int64_t)w->rows.measured);
    result_number(result, "seconds", w->seconds);
    struct result_table *t = reasons->texts.count ? RESULT_TABLE(result, "failures", columns)
                                                  : NULL;
    if (t) {
        t->hide = NOT_CSV | NOT_JSON;
        t->headless = true;
    }
    for (size_t i = 0; i < reasons->texts.count; i++) {
        cell_count(t, (int64_t)reasons->counts.items[i]);
        cell_text(t, reasons->texts.items[i]);
        json_object_set_new(list, reasons->texts.items[i],
                            json_integer((json_int_t)reasons->counts.items[i]));
    }
    result_nested(result, "reasons", list);
    if (!w->out)
        add_rows(w, result);
}

static bool measure_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct kernel_measuring *w = state;

    if (w->kernel)
        add_loop(s, w, result);
    else
        add_file(w, result);
    return true;
}

/* Shows a file's results up to the failure. */
static void measure_failed(struct session *s, void *state, struct result *result,
                           const struct err *err)
{
    const struct kernel_measuring *w = state;

    if (!w->kernel && w->rows.shown)
        add_file(w, result);
}

static void measuring_free(void *state)
{
    struct kernel_measuring *w = state;
    kernel_free(w->kernel);
    block_work_free(w->bounds);
    machine_free(w->machine);
    vec_free_texts(&w->hex);
    block_rows_done(&w->rows);
    reasons_done(&w->reasons);
    free(w);
}

static bool take_loop(struct session *s, struct kernel_measuring *w, struct err *err)
{
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    if (s->document.kernel->isa != isa_host())
        return err_set(err, ERR_USAGE,
                       "run the command on a computer whose CPU has the kernel's instruction set",
                       "this CPU executes %s, but the kernel is %s", isa_name(isa_host()),
                       isa_name(s->document.kernel->isa));
    kernel_insns(s->document.kernel, s->document.loop, &count);
    if (!count)
        return err_set(err, ERR_DATA, "kernel use N selects another loop",
                       "the loop has no instructions");
    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.loop;
    return true;
}

struct kernel_measure_values {
    const char *file, *out;
    double patience;
};

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"measures", measure_run, measure_finish, measuring_free,
                                        .failed = measure_failed, .listed = TASK_LISTED,
                                        .measures = true, .counts = true};
    const struct kernel_measure_values *v = values;

    if (v->out && !v->file)
        return err_set(err, ERR_USAGE, "use kernel measure --file CSV --out CSV",
                       "--out needs --file");
    if (v->file && !isnan(v->patience))
        return err_set(err, ERR_USAGE, "use kernel measure --patience T, without --file",
                       "--patience applies to the loaded kernel, not to --file");
    struct kernel_measuring *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->patience = isnan(v->patience) ? BLOCK_PATIENCE : v->patience;
    w->in = v->file;
    w->out = v->out;
    if (!v->file && !take_loop(s, w, err)) {
        measuring_free(w);
        return false;
    }
    struct err unknown = {0};
    struct machine *here =
        s->document.here.id ? session_machine(s, s->document.here.id, &unknown) : NULL;
    w->machine = here ? machine_hold(here) : NULL;
    return task_give(task, &ops, w);
}

const struct command command_kernel_measure = {
    .name = "kernel measure",
    .meant = "time bench benchmark",
    .help = "measure cycles per iteration of the kernel, or of every block of a file, on this CPU",
    .description = "The code runs in a sandboxed process; registers and memory are initialised so "
                   "that every address is valid. If other tasks use the core, the measured time is "
                   "marked as unconfirmed, and the command succeeds. A time below this CPU's port "
                   "bound is also unconfirmed, if the CPU's tables are available.",
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--file", struct kernel_measure_values, file), .value = "CSV",
         .fallback = "measure the loaded kernel", .complete = COMPLETE_FILE,
         .help = "measure the blocks of this CSV (with a column hex, or BHive's data without a "
                 "header), not the loaded kernel"},
        {PARAMETER(TEXT, "--out", struct kernel_measure_values, out), .value = "CSV",
         .fallback = "rows are part of the result", .complete = COMPLETE_FILE,
         .help = "with --file: CSV for the rows hex,cycles,spread,state, each written after its "
                 "measurement"},
        {PARAMETER(DURATION, "--patience", struct kernel_measure_values, patience), .value = "T",
         .least = 0.1, .most = 8640000, .fallback = "1.75s",
         .help = "for the loaded kernel: total time to wait for an idle core, after which the time "
                 "is unconfirmed. If no time was measured, the command waits up to ten times as "
                 "long"}),
    .examples = EXAMPLES("kernel measure", "kernel measure --patience 1s",
                         "kernel measure --file blocks.csv --out measured.csv"),
    .values_size = sizeof(struct kernel_measure_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare,
};
