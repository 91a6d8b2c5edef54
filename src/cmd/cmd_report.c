/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/drawing.h"
#include "cmd/kernel_analyze.h"
#include "cmd/session_file.h"
#include "cmd/task.h"
#include "model/metrics.h"
#include "report/report_markup.h"
#include "throughput/predict.h"
#include "work/evolve_job.h"

#define LEVEL 2             /* heading level of the parts */
#define FORMS_SHOWN 400     /* maximum number of rows of the mapping */
#define CURVE_SHOWN 12      /* maximum number of rows of the error curve */
#define WORST_SHOWN 10
#define WORST_LEAST 0.005   /* smallest relative error of a listed experiment */

struct reported_run {
    unsigned number;
    struct evolve_status status;
    struct evolve_sample curve[CURVE_SHOWN];
    size_t count;
};

struct reporting {
    const char *file;
    bool html;
    struct session *read;     /* snapshot of the session that the worker reads */
    double measured;          /* measured cycles per iteration of the loop; NaN: not measured */
    char *host;               /* title of this CPU's machine; NULL: unknown */
    VEC(struct reported_run) runs;
    struct drawing *drawings[DRAWING_KINDS];   /* drawings; NULL: none */
    struct str missing;       /* reason why there are no drawings */
    struct str out;
};

static void reporting_free(void *state)
{
    struct reporting *r = state;

    for (size_t i = 0; i < DRAWING_KINDS; i++)
        drawing_free(r->drawings[i]);
    session_forget(r->read);
    vec_done(&r->runs);
    str_done(&r->missing);
    str_done(&r->out);
    free(r->host);
    free(r);
}

static void add_part(struct reporting *r, const char *title, struct result *take_part)
{
    result_write(take_part, r->html ? FORMAT_HTML : FORMAT_MARKDOWN,
                 &(struct result_style){.title = title, .part = LEVEL}, &r->out);
    if (!r->html)
        str_add_char(&r->out, '\n');
    result_free(take_part);
}

/* Adds the drawing to HTML. If drawing fails, for example without the drawing tool, stores the
 * reason for the end of the document. Later drawings are then omitted. Returns false with err when
 * cancelled, or if the drawing cannot be prepared. */
static bool add_figure(struct reporting *r, enum drawing_kind kind, struct err *err)
{
    struct err fault = {0};
    struct str bytes = {0};
    const char *begin;

    if (!r->html || !r->drawings[kind] || r->missing.length)
        return true;
    if (!drawing_prepare(r->drawings[kind], err))
        return false;
    bool drawn = figure_draw(drawing_figure(r->drawings[kind]), FIGURE_SVG, &bytes, &fault),
         goes_on = drawn || watch_goes_on(err);
    if (drawn && (begin = strstr(str_text(&bytes), "<svg")))
        str_addf(&r->out, "<figure>\n%s</figure>\n", begin);
    else if (goes_on)
        str_addf(&r->missing, "Without pictures: %s%s%s.",
                 drawn ? "the file written by gnuplot is not SVG" : fault.what,
                 fault.todo[0] ? "; " : "", fault.todo);
    str_done(&bytes);
    return goes_on;
}

static bool add_kernel(struct reporting *r, struct err *err)
{
    const struct document *d = &r->read->document;
    const struct word_list none = {0};
    size_t count;

    if (!d->kernel)
        return true;
    struct analysis **analyses = kernel_analyze(r->read, &none, &count, err);
    if (!analyses)
        return false;
    (r->html ? report_html_part : report_markdown_part)(d->kernel, d->loop, analyses, count, LEVEL,
                                                        &r->out);
    kernel_analyses_free(analyses, count);
    if (!isnan(r->measured))
        str_addf(&r->out,
                 r->html ? "<p>Measured on this CPU: %.2f cycles per iteration.</p>\n"
                         : "\nMeasured on this CPU: %.2f cycles per iteration.\n\n",
                 r->measured);
    return add_figure(r, DRAWING_WHATIF, err) && watch_goes_on(err);
}

static void add_experiments(struct reporting *r)
{
    static const struct result_column columns[] = {
        {.key = "instructions", .kind = CELL_TEXT},
        {.key = "experiments", .kind = CELL_COUNT},
        {.key = "measured", .kind = CELL_COUNT},
        {.key = "waiting", .kind = CELL_COUNT},
        {.key = "failed", .kind = CELL_COUNT},
        {.key = "spread", .title = "mean spread", .unit = "%", .kind = CELL_NUMBER, .decimals = 2}};
    static const char *const sizes[] = {"one form", "two forms", "more"};
    struct {
        int64_t all, measured, open, spreads;
        double spread;
    } kinds[3] = {{0}};
    const struct experiments *t = r->read->document.experiments;
    struct result *part = result_new();

    for (size_t i = 0; i < t->rows.count && !watch_over(); i++) {
        const struct experiment_row *row = &t->rows.items[i];
        const size_t kind = row->count <= 2 ? row->count - (row->count > 0) : 2;
        const bool measured = experiments_measured(t, i);
        kinds[kind].all++;
        kinds[kind].measured += measured;
        kinds[kind].open += !measured && experiment_state_open(row->state);
        if (measured && !isnan(row->spread)) {
            kinds[kind].spread += row->spread;
            kinds[kind].spreads++;
        }
    }
    result_line(part, "%zu experiment%s with %zu instruction form%s.", t->rows.count,
                plural(t->rows.count), (size_t)t->forms.count, plural((size_t)t->forms.count));
    struct result_table *table = RESULT_TABLE(part, "experiments", columns);
    for (size_t k = 0; k < 3; k++) {
        if (!kinds[k].all)
            continue;
        cell_text(table, sizes[k]);
        cell_count(table, kinds[k].all);
        cell_count(table, kinds[k].measured);
        cell_count(table, kinds[k].open);
        cell_count(table, kinds[k].all - kinds[k].measured - kinds[k].open);
        cell_number(table,
                    kinds[k].spreads ? 100 * kinds[k].spread / (double)kinds[k].spreads : NAN);
    }
    add_part(r, "Experiments", part);
}

/* Adds the current machine's usages and latencies of the forms in the experiments, or without
 * experiments, of the forms in the loop; at most FORMS_SHOWN. */
static void add_mapping(struct reporting *r, const struct machine *m)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},
        {.key = "usage", .title = "ports", .kind = CELL_TEXT},
        {.key = "latency", .kind = CELL_NUMBER, .decimals = SHORTEST}};
    const struct document *d = &r->read->document;
    struct result *part = result_new();
    struct str usage = {0};
    struct names forms = {0};
    struct ports shown;
    size_t known = 0, count = 0;

    ports_shown(m, &shown);
    for (size_t i = 0; d->experiments && i < d->experiments->forms.count; i++)
        names_add(&forms, d->experiments->forms.items[i]);
    const struct insn *insns =
        !d->experiments && d->kernel ? kernel_insns(d->kernel, d->loop, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        names_add(&forms, insns[i].form);
    struct result_table *table = RESULT_TABLE(part, "forms", columns);
    for (size_t i = 0; i < forms.count; i++) {
        const struct mapping_entry *entry = mapping_find(m->mapping, forms.items[i]);
        if (!entry || known++ >= FORMS_SHOWN)
            continue;
        str_clear(&usage);
        usage_print(&entry->usage, &shown, &usage);
        cell_text(table, entry->form);
        cell_text(table, usage.length ? str_text(&usage) : "none");
        cell_number(table, entry->latency);
    }
    str_clear(&usage);
    if (known > FORMS_SHOWN)
        str_addf(&usage, "; the first %d are shown", FORMS_SHOWN);
    result_line(part, "%s has %zu of %zu forms%s.", m->title, known, (size_t)forms.count,
                str_text(&usage));
    add_part(r, "Mapping", part);
    names_done(&forms);
    str_done(&usage);
}

struct worst_row {
    double error;
    size_t row;
};

ORDER_BY(compare_worst, struct worst_row, DESCENDING(error))

static void add_worst(struct result *part, const struct experiments *t, const double *predicted)
{
    static const struct result_column columns[] = {
        {.key = "experiment", .kind = CELL_TEXT},
        {.key = "measured", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 3},
        {.key = "predicted", .unit = "cycles", .kind = CELL_NUMBER, .decimals = 3}};
    struct worst_row *worst = mem_try_alloc((t->rows.count + 1) * sizeof *worst);
    struct str text = {0};
    size_t n = 0;

    for (size_t i = 0; worst && i < t->rows.count; i++) {
        double error = experiments_measured(t, i)
                           ? fabs(predicted[i] - t->rows.items[i].cycles) / t->rows.items[i].cycles
                           : 0;
        /* If the error is NaN, the comparison is false, and the row is not listed. */
        if (error > WORST_LEAST)
            worst[n++] = (struct worst_row){error, i};
    }
    if (n)
        qsort(worst, n, sizeof *worst, compare_worst);
    if (n)
        result_line(part, "Largest errors of the first mapping:");
    struct result_table *table =
        n ? RESULT_TABLE(part, "worst", columns) : NULL;
    for (size_t i = 0; i < n && i < WORST_SHOWN; i++) {
        str_clear(&text);
        experiments_print(t, worst[i].row, &text);
        cell_text(table, str_text(&text));
        cell_number(table, t->rows.items[worst[i].row].cycles);
        cell_number(table, predicted[worst[i].row]);
    }
    free(worst);
    str_done(&text);
}

static bool add_accuracy(struct reporting *r, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},
        {.key = "experiments", .kind = CELL_COUNT},
        {.key = "mape", .title = "mean error", .unit = "%", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "pearson", .title = "Pearson", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "spearman", .title = "Spearman", .kind = CELL_NUMBER, .decimals = 4},
        {.key = "unknown", .title = "not evaluated: unknown forms", .kind = CELL_COUNT}};
    const struct document *d = &r->read->document;
    const size_t bytes = (d->experiments->rows.count + 1) * sizeof(double);
    double *predicted = mem_try_alloc(bytes);
    if (!predicted)
        return err_memory_for(err, "the predictions", bytes);
    struct result *part = result_new(), *worst = result_new();
    struct result_table *table = RESULT_TABLE(part, "machines", columns);
    bool ok = true;

    for (size_t i = 0; ok && i < d->selected_count; i++) {
        const struct machine *m = session_machine(r->read, d->selected[i], err);
        ok = m != NULL;
        if (!ok)
            break;
        machine_predict(m, d->experiments, predicted);
        struct accuracy a = metrics_accuracy(d->experiments, predicted);
        cell_text(table, m->title);
        cell_count(table, (int64_t)a.n);
        cell_number(table, 100 * a.mape);
        cell_number(table, a.pearson);
        cell_number(table, a.spearman);
        cell_count(table, (int64_t)a.unknown);
        if (i == 0)
            add_worst(worst, d->experiments, predicted);
        ok = watch_goes_on(err);
    }
    free(predicted);
    result_append(part, worst);
    add_part(r, "Accuracy", part);
    return ok && add_figure(r, DRAWING_ACCURACY, err);
}

static bool add_runs(struct reporting *r, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "seconds", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "best_so_far", .title = "best so far", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 2},
        {.key = "median", .unit = "%", .kind = CELL_NUMBER, .decimals = 2},
        {.key = "worst", .unit = "%", .kind = CELL_NUMBER, .decimals = 2}};
    struct result *part = result_new();

    for (size_t i = 0; i < r->runs.count; i++) {
        const struct reported_run *run = &r->runs.items[i];
        const struct evolve_status *t = &run->status;
        if (isnan(t->d_avg))
            result_line(part, "Run %u: %s, %.1f s; no mapping yet.", run->number,
                        evolve_state_names[t->state], t->seconds);
        else
            result_line(part,
                        "Run %u: %s, %.1f s; mean error %.2f %% with %u port%s, %llu distinct "
                        "µops, volume %llu.",
                        run->number, evolve_state_names[t->state], t->seconds, 100 * t->d_avg,
                        t->ports, plural(t->ports), (unsigned long long)t->distinct,
                        (unsigned long long)t->volume);
    }
    const struct reported_run *last = &r->runs.items[r->runs.count - 1];
    struct result_table *table =
        last->count ? RESULT_TABLE(part, "curve", columns) : NULL;
    for (size_t i = 0; i < last->count; i++) {
        cell_number(table, last->curve[i].seconds);
        cell_number(table, 100 * last->curve[i].d_reached);
        cell_number(table, 100 * last->curve[i].d_median);
        cell_number(table, 100 * last->curve[i].d_worst);
    }
    add_part(r, "Evolution", part);
    return add_figure(r, DRAWING_EVOLUTION, err) && add_figure(r, DRAWING_FRONT, err);
}

static bool report_work(void *state, struct result *result, struct err *err)
{
    struct reporting *r = state;
    const struct document *d = &r->read->document;
    struct str raw = {0};

    if (r->html)
        report_html_begin("Portolan: report of a session", &r->out);
    struct result *head = result_new();
    result_line(head, "Written by Portolan. Selected machines: %zu%s%s.", d->selected_count,
                r->host ? "; this CPU: " : "", r->host ? r->host : "");
    result_write(head, r->html ? FORMAT_HTML : FORMAT_MARKDOWN,
                 &(struct result_style){.title = "Report of a session", .part = 1}, &r->out);
    result_free(head);
    bool ok = add_kernel(r, err);
    if (ok && d->experiments)
        add_experiments(r);
    const struct machine *m = ok ? session_current(r->read, err) : NULL;
    ok = ok && m;
    if (ok && (d->experiments || d->kernel))
        add_mapping(r, m);
    ok = ok && (!d->experiments || add_accuracy(r, err)) && (!r->runs.count || add_runs(r, err));
    if (ok && r->missing.length) {
        struct result *part = result_new();
        result_line(part, "%s", str_text(&r->missing));
        result_write(part, FORMAT_HTML, &(struct result_style){.part = LEVEL}, &r->out);
        result_free(part);
    }
    if (r->html)
        report_html_end(&r->out);
    raw = r->out;
    r->out = (struct str){0};
    utf8_printable(str_text(&raw), raw.length, &r->out);
    str_done(&raw);
    ok = ok && watch_goes_on(err) && command_write(r->file, &r->out, result, err);
    if (ok && r->missing.length)
        result_confirm(result, "%s", str_text(&r->missing));
    return ok;
}

/* Copies the state and the error curve of each run. Each copied curve has at most CURVE_SHOWN
 * points, and includes the last point. */
static void take_runs(struct reporting *r, const struct session *s)
{
    const size_t most = 4000;
    struct evolve_sample *samples = mem_alloc(most * sizeof *samples);

    for (size_t i = 0; i < s->document.run_count; i++) {
        struct reported_run run = {.number = s->document.runs[i]->number};
        size_t n = evolve_get_samples(s->document.runs[i]->evolve, samples, most);
        evolve_get_status(s->document.runs[i]->evolve, &run.status);
        run.count = n < CURVE_SHOWN ? n : CURVE_SHOWN;
        for (size_t k = 0; k < run.count; k++)
            run.curve[k] = samples[run.count > 1 ? k * (n - 1) / (run.count - 1) : 0];
        vec_push(&r->runs, run);
    }
    free(samples);
}

struct session_report_values {
    const char *file;
};

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"writes", report_work, NULL, reporting_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct session_report_values *v = values;
    const char *dot = strrchr(v->file, '.');
    const bool html = dot && strcmp(dot, ".html") == 0;

    if (!html && !(dot && strcmp(dot, ".md") == 0))
        return err_set(err, ERR_USAGE, "use report FILE.html, or FILE.md",
                       "the file name must end in .html or .md");
    if (!s->document.kernel && !s->document.experiments && !s->document.run_count)
        return err_set(err, ERR_USAGE, "run kernel load FILE, or experiments generate",
                       "the session is empty: no loop, no experiments, no inference run");
    struct reporting *r = mem_zero(1, sizeof *r);
    r->file = v->file;
    r->html = html;
    r->measured = s->document.kernel ? s->document.kernel_measured : NAN;
    r->host = mem_strdup(s->document.here.title);
    take_runs(r, s);
    for (size_t i = 0; html && i < DRAWING_KINDS; i++)
        r->drawings[i] = drawing_new(s, (enum drawing_kind)i, NULL);
    r->read = session_snapshot(s);
    return task_give(task, &ops, r);
}

const struct command command_report = {
    .name = "report",
    .help = "write the session as one document",
    .description = "The document contains the loop on the selected machines, as kernel report "
                   "does, and a summary of the experiments. It shows the accuracy of the current "
                   "machine, and the machine's mapping of the forms in the experiments. It ends "
                   "with the inference runs and their curves. HTML is one self-contained page; its "
                   "plots need gnuplot.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct session_report_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write: .html or .md"}),
    .examples = EXAMPLES("report session.html", "report session.md"),
    .values_size = sizeof(struct session_report_values),
    .prepare = prepare,
};
