/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "base/watch.h"
#include "chart/memory_lines.h"
#include "cmd/command.h"
#include "cmd/explained.h"
#include "cmd/memory_curve.h"
#include "cmd/task.h"
#include "model/facts.h"
#include "work/job.h"

#define SIZES "16K..512M"
/* seconds to measure all sizes, in addition to the time to fill the arrays */
#define MEASURE_SECONDS 0.8
/* Minimum relative difference of the times of a loop from run to run that is reported: twice the
 * mean error of predicted times, which was 0.09 in 120 measurements on a virtual EPYC Turin. */
#define VARIES 0.2
#define ROWS 12               /* number of lines of the curve in text */
#define COLUMN 4

struct memory_values {
    const char *size, *pages, *machine;
    bool measure;
    struct word_list arrays;
};

struct memory_job {
    const struct kernel *kernel;   /* counted reference */
    size_t loop;
    struct machine *machine;       /* counted reference */
    bool here, measure, huge;
    double from, to;
    char **arrays;
    size_t arrays_count;
    struct memory_curve curve;
    /* reason why larger sizes were not measured; code 0: all were measured */
    struct err cut_off;
};

static void job_free(void *state)
{
    struct memory_job *w = state;
    memory_curve_done(&w->curve);
    kernel_free(w->kernel);
    machine_free(w->machine);
    mem_free_texts(w->arrays, w->arrays_count);
    free(w);
}

static size_t measured_count(const struct memory_curve *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        count += !isnan(c->points[i].measured);
    return count;
}

static bool work(void *state, struct result *result, struct err *err)
{
    struct memory_job *w = state;
    struct memory_costs measured;

    bool kept = w->here && memory_lines_recall(w->machine, &measured);
    if (!memory_curve_predict(&w->curve, w->kernel, w->loop, w->machine, kept ? &measured : NULL,
                              w->from, w->to, (const char *const *)w->arrays, w->arrays_count, err))
        return false;
    if (!watch_goes_on(err))
        return false;
    if (!w->measure || (!w->curve.moves && !w->curve.streams.unknown))
        return true;
    job_progress(0, 0, "loop runs with %zu array size%s", w->curve.count, plural(w->curve.count));
    bool ok = memory_curve_measure(&w->curve, w->kernel, w->loop, w->here, MEASURE_SECONDS, w->huge,
                                   job_cancelled, NULL, err);
    if (!ok && job_cancelled(NULL))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    if (ok)
        return true;
    const struct err reason = *err;
    /* If the core was too busy, earlier results are shown with the reason. */
    if (reason.code == ERR_LIMIT && measured_count(&w->curve)) {
        w->cut_off = reason;
        *err = (struct err){0};
        return true;
    }
    return err_set(err, reason.code, reason.todo, "not measured: %s", reason.what);
}

/* Adds the name of the symbol in a stream's address. */
static void add_symbol(const struct memory_job *w, const struct stream *one, struct str *out)
{
    size_t count, references;
    const struct insn *insn = &kernel_insns(w->kernel, w->loop, &count)[one->insn];
    const struct code_reference *reference = kernel_references(w->kernel, insn, &references);

    if (one->place && references)
        str_addf(out, "%s + ", reference->name);
}

static void add_streams(const struct memory_job *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "stream", .kind = CELL_COUNT},
        {.key = "base", .kind = CELL_TEXT},
        {.key = "kind", .kind = CELL_TEXT},
        {.key = "step", .unit = "B", .kind = CELL_COUNT},
        {.key = "lines", .title = "lines per iteration", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "from", .kind = CELL_TEXT, .width = RAGGED}};
    const struct streams *s = &w->curve.streams;
    struct result_table *t = RESULT_TABLE(result, "streams", columns);

    for (size_t i = 0; i < s->items.count; i++) {
        const struct stream *one = &s->items.items[i];
        struct str base = {0}, from = {0};
        add_symbol(w, one, &base);
        stream_base(one, w->kernel->isa, &base);
        if (one->follows != STREAM_ALONE)
            str_addf(&from, "%" PRIu64 " byte%s after stream %u", one->distance,
                     plural(one->distance), one->follows + 1);
        else if (one->fed_by != STREAM_ALONE)
            str_addf(&from, "indices of stream %u", one->fed_by + 1);
        if (stream_range(one) < w->curve.points[w->curve.count - 1].bytes) {
            str_addf(&from, " (%" PRIu32 " bits): at most ",
                     8 * s->items.items[one->fed_by].index_bytes);
            memory_size_print(stream_range(one), &from);
        }
        cell_count(t, (int64_t)i + 1);
        cell_text(t, str_text(&base));
        cell_text(t, stream_word(one));
        cell_count_if(t, one->kind == STREAM_WALK, one->step);
        cell_number(t, one->lines);
        cell_text(t, str_text(&from));
        str_done(&base);
        str_done(&from);
    }
    table_hide_empty(t);
}

/* Reports the sizes at which each remedy helps, with its smallest and largest gain. */
static void add_remedies(const struct memory_curve *c, struct result *result)
{
    struct str out = {0};

    for (size_t i = 0, end; i < c->count; i = end) {
        const char *help = c->points[i].help;
        double least = INFINITY, most = 0;
        for (end = i; end < c->count && c->points[end].help == help; end++) {
            least = fmin(least, c->points[end].gain);
            most = fmax(most, c->points[end].gain);
        }
        if (!help)
            continue;
        str_addf(&out, "%s%s, %.1fx", out.length ? "; " : "remedies: ", help, least);
        if (most >= least + 0.1)
            str_addf(&out, " to %.1fx", most);
        str_add(&out, " (");
        memory_size_print(c->points[i].bytes, &out);
        if (end > i + 1) {
            str_add(&out, " to ");
            memory_size_print(c->points[end - 1].bytes, &out);
        }
        str_add(&out, ")");
    }
    if (out.length)
        result_line(result, "%s", str_text(&out));
    str_done(&out);
}

/* Reports the block size for the largest arrays in each level. Blocking helps only if code outside
 * the loop reads the data again. */
static void add_blocks(const struct memory_curve *c, struct result *result)
{
    struct str out = {0};

    for (size_t i = 0; i < c->count; i++) {
        const struct memory_point *p = &c->points[i];
        if (!(p->block > 0) || (i + 1 < c->count && strcmp(p->level, c->points[i + 1].level) == 0))
            continue;
        str_addf(&out, "%sblocks of ", out.length ? "; " : "cache blocking of repeated passes: ");
        memory_size_print(p->block, &out);
        str_addf(&out, ", %.1fx (%s)", p->block_gain, p->level);
    }
    if (out.length)
        result_line(result, "%s", str_text(&out));
    str_done(&out);
}

static void add_refuted(const struct memory_curve *c, struct result *result)
{
    struct str out = {0};

    for (size_t i = 0; i < c->count; i++)
        if (c->points[i].refuted > 0) {
            str_addf(&out, "%s%.2f cycles at ", out.length ? ", " : "", c->points[i].refuted);
            memory_size_print(c->points[i].bytes, &out);
        }
    if (out.length)
        result_line(
            result,
            "measurements omitted: %s, %s; machine check compares the machine's tables with this "
            "CPU",
            str_text(&out), c->bound);
    str_done(&out);
}

static bool is_contended(const struct memory_point *p)
{
    return p->contended;
}

static bool is_small(const struct memory_point *p)
{
    return p->small;
}

/* Adds a line with the sizes for which @has is true, between @before and @after. */
static void add_sizes(const struct memory_curve *c, bool (*has)(const struct memory_point *p),
                      const char *before, const char *after, struct result *result)
{
    struct str out = {0};

    for (size_t i = 0; i < c->count; i++)
        if (has(&c->points[i])) {
            str_add(&out, out.length ? ", " : "");
            memory_size_print(c->points[i].bytes, &out);
        }
    if (out.length)
        result_line(result, "%s %s%s", before, str_text(&out), after);
    str_done(&out);
}

static void add_contended(const struct memory_curve *c, struct result *result)
{
    add_sizes(c, is_contended, "another task slowed this core during the measurements at",
              "; repeat the command when the computer is idle", result);
}

static void add_small(const struct memory_curve *c, struct result *result)
{
    struct str why = {0};

    str_addf(&why, ": %s", c->small.what);
    add_sizes(c, is_small, "not measured at", str_text(&why), result);
    str_done(&why);
}

/* Returns the cycles of a row: the measured cycles if known, otherwise the predicted cycles. */
static double cycles_of(const struct memory_point *p)
{
    return isnan(p->measured) ? p->time.cycles : p->measured;
}

static void add_points(const struct memory_job *w, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "arrays", .title = "size", .kind = CELL_TEXT, .hide = NOT_CSV | NOT_JSON},
        {.key = "size", .kind = CELL_COUNT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "level", .kind = CELL_TEXT},
        {.key = "core", .kind = CELL_NUMBER, .decimals = 2, .hide = NOT_TEXT},
        {.key = "transfers", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "hops", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "predicted", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "spread", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "bytes_per_cycle", .title = "B/cycle", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "gb_per_s", .title = "GB/s", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "limit", .title = "limited by", .kind = CELL_TEXT},
        {.key = "help", .kind = CELL_TEXT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "block_bytes", .kind = CELL_COUNT, .hide = NOT_TEXT | NOT_DOCUMENT},
        {.key = "block_gain", .kind = CELL_NUMBER, .hide = NOT_TEXT | NOT_DOCUMENT}};
    const struct memory_curve *c = &w->curve;
    struct result_table *t = RESULT_TABLE(result, "sizes", columns);

    for (size_t i = 0; i < c->count; i++) {
        const struct memory_point *p = &c->points[i];
        struct str size = {0}, limit = {0}, help = {0};
        double cycles = cycles_of(p), transfers = 0;
        for (unsigned part = LIMIT_LINES; part < LIMIT_HOPS; part++)
            transfers += p->time.parts[part];
        memory_size_print(p->bytes, &size);
        if (p->help)
            str_addf(&help, "%s: %.1fx", p->help, p->gain);
        if (c->known)
            memory_limit_print(&p->time, &c->costs, c->core_limit, &limit);
        cell_text(t, str_text(&size));
        cell_count(t, (int64_t)p->bytes);
        cell_text(t, p->level);
        cell_number(t, c->core.cycles);
        cell_number(t, c->known && transfers > 0 ? transfers : NAN);
        cell_number(t, c->known && p->time.parts[LIMIT_HOPS] > 0 ? p->time.parts[LIMIT_HOPS] : NAN);
        cell_number(t, p->time.cycles);
        cell_number(t, p->measured);
        cell_number(t, p->spread);
        cell_number(t, p->moved > 0 ? p->moved / cycles : NAN);
        cell_number(t, p->moved > 0 ? p->moved / cycles * c->clock_hz * 1e-9 : NAN);
        cell_text(t, str_text(&limit));
        cell_text(t, str_text(&help));
        cell_count_if(t, p->block > 0, (int64_t)p->block);
        cell_number(t, p->block > 0 ? p->block_gain : NAN);
        str_done(&size);
        str_done(&limit);
        str_done(&help);
    }
    table_hide_empty(t);
}

/* Draws cycles over sizes, with a logarithmic scale: o measured, - predicted, * both. The label of
 * a line is its highest value. Draws nothing for fewer than three sizes, or if no value is
 * positive. */
static void add_curve(const struct memory_curve *c, struct result *result)
{
    double least = INFINITY, most = 0;
    struct str out = {0};

    for (size_t i = 0; i < c->count; i++)
        for (unsigned k = 0; k < 2; k++) {
            double y = k ? c->points[i].measured : c->points[i].time.cycles;
            if (y > 0) {
                least = fmin(least, y);
                most = fmax(most, y);
            }
        }
    if (!(most > 0) || c->count < 3)
        return;
    least *= 0.97;
    most = fmax(most * 1.03, 1.5 * least);
    str_add(&out, "\n"
                  "  cycles per iteration (log scale; labels: highest value in the row): o "
                  "measured, - predicted, * both\n");
    for (int row = ROWS - 1; row >= 0; row--) {
        struct str marks = {0};
        double highest = 0;
        for (size_t i = 0; i < c->count; i++) {
            int at[2];
            for (unsigned k = 0; k < 2; k++) {
                double y = k ? c->points[i].measured : c->points[i].time.cycles;
                at[k] = y > 0 ? (int)floor(ROWS * log(y / least) / log(most / least)) : -1;
            }
            highest = fmax(highest, at[0] == row ? c->points[i].time.cycles : 0);
            highest = fmax(highest, at[1] == row ? c->points[i].measured : 0);
            char mark = at[0] == row && at[1] == row ? '*'
                        : at[1] == row               ? 'o'
                        : at[0] == row               ? '-'
                                                     : ' ';
            str_addf(&marks, "%*c", COLUMN + 1, mark);
        }
        if (highest > 0)
            str_addf(&out, "%8.2f |%s\n", highest, str_text(&marks));
        else
            str_add(&out, "         |\n");
        str_done(&marks);
    }
    str_add(&out, "         +");
    for (size_t i = 0; i < c->count; i++) {
        struct str size = {0};
        memory_size_print(c->points[i].bytes, &size);
        str_addf(&out, "%*s", COLUMN + 1, str_text(&size));
        str_done(&size);
    }
    str_add(&out, "\n");
    result_block(result, str_text(&out));
    str_done(&out);
}

static void add_roofline(const struct memory_job *w, struct result *result)
{
    const struct memory_curve *c = &w->curve;
    const struct memory_point *first = &c->points[0], *last = &c->points[c->count - 1];
    double intensity = last->moved > 0 ? c->flops / last->moved : NAN;

    if (!(c->flops > 0) || !(last->moved > 0) || !(c->clock_hz > 0))
        return;
    double near = c->flops / cycles_of(first) * c->clock_hz * 1e-9,
           far = c->flops / cycles_of(last) * c->clock_hz * 1e-9;
    result_line(result,
                "roofline: %.3f flop per byte moved; %.1f Gflop/s over %s, %.1f Gflop/s over %s",
                intensity, near, first->level, far, last->level);
    result_number(result, "flops", c->flops);
    result_number(result, "flops_per_byte", intensity);
}

/* Reports how many cores saturate the memory bandwidth of the socket, or that this is unknown, if
 * the largest arrays are in memory. */
static void add_cores(const struct memory_curve *c, struct result *result)
{
    const struct memory_point *last = &c->points[c->count - 1];
    double socket = fact_number(c->machine, "socket_bandwidth"),
           one = last->moved / cycles_of(last) * c->clock_hz * 1e-9;

    if (strcmp(last->level, "memory") != 0 || !(one > 0))
        return;
    if (isnan(socket)) {
        result_line(result, "cores: unknown, because %s has no fact socket_bandwidth",
                    c->machine->id);
        return;
    }
    result_line(
        result,
        "cores: one core moves %.1f GB/s, so about %.0f cores saturate the %.0f GB/s of a socket",
        one, fmax(1, floor(socket / one)), socket);
    result_number(result, "cores_saturate", fmax(1, floor(socket / one)));
}

/* Adds a line if the accesses @what, which have the @count costs @costs, take longer in some
 * runs. */
static void add_varying(const struct memory_costs *m, const char *what,
                        const enum memory_cost *costs, size_t count, struct result *result)
{
    double varies = 0;

    for (size_t i = 0; i < count; i++)
        varies = fmax(varies, m->spread[costs[i]]);
    if (varies > VARIES)
        result_line(result,
                    "%s take up to %.1f times as long in some runs on this CPU as in others; "
                    "predicted and measured times may differ by this factor",
                    what, 1 + varies);
}

static void add_assumed(const struct memory_job *w, struct result *result)
{
    static const enum memory_cost streaming[] = {COST_STREAMED, COST_COPIED},
                                  skipping[] = {COST_PAIRED, COST_ODD, COST_SKIPPED};
    const struct memory_curve *c = &w->curve;
    bool several = false, streamed = false, skipped = false;
    double huge = NAN;

    for (size_t i = 0; i < c->streams.items.count; i++) {
        const struct stream *one = &c->streams.items.items[i];
        several |= i && one->kind == STREAM_WALK && one->follows == STREAM_ALONE;
        streamed |= one->non_temporal;
        skipped |= one->kind == STREAM_WALK && llabs(one->step) >= 2 * STREAM_LINE;
    }
    if (several)
        result_line(result, "assumed: no two streams share an array, except the streams of "
                            "--arrays (2=1+4160: stream 2 is 4160 bytes after stream 1)");
    if (!c->known)
        result_line(result, "not predicted: %s", c->why.what);
    else if (c->costs.measured)
        result_line(result,
                    "costs of cache lines were measured on this CPU (%s)%s; other tasks that use "
                    "its caches change the costs",
                    c->costs.day,
                    c->again ? "; the costs beyond a quarter of the second-level cache were "
                               "measured again after each size"
                             : "");
    else
        result_line(result, "costs of cache lines are from the facts of %s%s", c->machine->id,
                    w->here ? "; machine calibrate --memory measures the costs on this CPU" : "");
    if (streamed && c->known && c->costs.measured)
        add_varying(&c->costs, "non-temporal stores", streaming, 2, result);
    if (skipped && c->known && c->costs.measured)
        add_varying(&c->costs, "accesses to every second line or fewer", skipping, 3, result);
    if (c->known && !c->costs.overlaps)
        result_line(result, "transfers do not overlap with the core's loads and stores on this "
                            "machine: the times add up (ECM)");
    for (size_t i = 0; i < c->count; i++)
        huge = isnan(c->points[i].huge) ? huge : c->points[i].huge;
    if (w->huge && huge < 0.9)
        result_line(result,
                    "pages of 2 MiB were requested; %.0f %% of the arrays' memory is on such "
                    "pages. Arrays of more than a few MiB are slower with pages of 4 KiB",
                    100 * huge);
    else if (w->measure && !isnan(huge))
        result_line(result, "the arrays are on pages of %s", huge >= 0.9 ? "2 MiB" : "4 KiB");
}

static bool publish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct memory_job *w = state;
    const struct memory_curve *c = &w->curve;

    result_text(result, "kernel", w->kernel->name);
    result_text(result, "machine", c->machine->id);
    result_number(result, "core", c->core.cycles);
    if (explained_is(s->document.explained, w->kernel, w->loop)) {
        struct str text = {0};
        explained_print_memory(s->document.explained, &text);
        if (text.length)
            result_line(result, "%s", str_text(&text));
        str_done(&text);
    }
    if (!c->streams.items.count || !c->moves) {
        if (c->streams.unknown)
            result_line(result, "%s: instruction %u: %s", w->kernel->name, c->streams.unknown,
                        c->streams.why);
        else if (!c->streams.items.count)
            result_line(result,
                        "%s: no memory access: %.2f cycles per iteration with arrays of any size",
                        w->kernel->name, c->core.cycles);
        else
            result_line(result,
                        "%s: the addresses of all accesses are constant: %.2f cycles per iteration "
                        "with arrays of any size",
                        w->kernel->name, c->core.cycles);
        return true;
    }
    result_line(result,
                "%s on %s: %.2f cycles per iteration with all data in the first-level cache",
                w->kernel->name, c->machine->id, c->core.cycles);
    add_streams(w, result);
    if (c->streams.unknown)
        result_line(result, "instruction %u is not modelled: %s", c->streams.unknown,
                    c->streams.why);
    add_points(w, result);
    if (w->cut_off.code)
        result_line(result, "only %zu of %zu sizes were measured; %s", measured_count(c), c->count,
                    w->cut_off.what);
    add_refuted(c, result);
    add_contended(c, result);
    add_small(c, result);
    add_remedies(c, result);
    add_blocks(c, result);
    add_curve(c, result);
    add_roofline(w, result);
    add_cores(c, result);
    add_assumed(w, result);
    return true;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"measures memory", work, publish, job_free,
                                        .listed = TASK_LISTED_IF_LONG};
    static const struct task_ops measuring = {"measures memory", work, publish, job_free,
                                              .listed = TASK_LISTED, .measures = true};
    const struct memory_values *v = values;
    double from, to;

    if (!session_has_kernel(s, err) || !memory_curve_sizes(v->size, &from, &to, err))
        return false;
    if (v->measure && s->document.kernel->isa != isa_host())
        return err_set(err, ERR_USAGE, "omit --measure",
                       "this CPU executes %s, but the kernel is %s", isa_name(isa_host()),
                       isa_name(s->document.kernel->isa));
    struct machine *m = session_kernel_machine(s, v->machine, err);
    if (!m)
        return false;
    struct memory_job *w = mem_zero(1, sizeof *w);
    *w = (struct memory_job){.kernel = kernel_hold(s->document.kernel),
                             .loop = s->document.loop,
                             .machine = machine_hold(m),
                             .measure = v->measure,
                             .huge = strcmp(v->pages, "2M") == 0,
                             .from = from,
                             .to = to};
    w->here = s->document.here.id && strcmp(s->document.here.id, m->id) == 0;
    w->arrays = mem_zero(v->arrays.count + 1, sizeof *w->arrays);
    for (size_t i = 0; i < v->arrays.count; i++)
        w->arrays[w->arrays_count++] = mem_strdup(v->arrays.items[i]);
    return task_give(task, v->measure ? &measuring : &ops, w);
}

const struct command command_kernel_memory = {
    .name = "kernel memory",
    .meant = "cache caches bandwidth roofline",
    .help = "predict or measure cycles per iteration by array size, from each cache and from "
            "memory",
    .description = "The streams are determined from the loop's instructions. The costs of cache "
                   "lines are those measured by machine calibrate --memory, otherwise the "
                   "machine's facts.",
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--size", struct memory_values, size), .value = "SIZES", .initial = SIZES,
         .help = "total bytes of all arrays: one size, or a range in powers of two, with suffixes "
                 "K, M and G"},
        {PARAMETER(FLAG, "--measure", struct memory_values, measure),
         .help = "also measure the loop on this CPU with arrays of each size"},
        {PARAMETER(CHOICE, "--pages", struct memory_values, pages), .choices = "4K|2M",
         .initial = "2M", .help = "page size of measured arrays"},
        MACHINE_OPTION(memory_values, "the current machine", "machine to predict for"),
        {PARAMETER(WORDS, "--arrays", struct memory_values, arrays), .value = "STREAM=STREAM+BYTES",
         .fallback = "each stream has a separate array",
         .help = "2=1+BYTES: stream 2 is in the array of stream 1, BYTES after stream 1, as for "
                 "the rows of a stencil"}),
    .examples =
        EXAMPLES("kernel memory", "kernel memory --size 16K..512M --measure",
                 "kernel memory --machine skylake --size 2M", "kernel memory --arrays 2=1+4160"),
    .values_size = sizeof(struct memory_values),
    .flags = COMMAND_JOB,
    .prepare = prepare,
};
