/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments view: measured cycles, the current machine's prediction, and their difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/port_names.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/experiment_detail.h"
#include "cmd/forecast.h"
#include "cmd/code_listing.h"
#include "table/experiment_columns.h"
#include "model/metrics.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"
#include "view/plot.h"
#include "view/table_view.h"
#include "view/view.h"
#include "work/job.h"

#define ON_WIDTH 8   /* number of columns of the text " on N" */
/* sorting rows when results arrive may use at most the fraction 1/SHARE of the time */
#define SHARE 10
#define CODE_WIDTH 48        /* maximum number of columns of the code in the detail pane */

struct experiments_view_state {
    struct table_view view;
    struct experiments *shown;   /* the session's table, borrowed */
    uint64_t serial, revision; /* serial number and revision of @shown */
    size_t rows;
    struct machine *machine; /* machine that predicts (counted reference); NULL: none */
    struct ports ports;      /* ports of @machine with their displayed names */
    struct prediction *predicted;
    bool waits;               /* whether a job is computing the predictions of the displayed
                               * mapping */
    /* outline whose mapping LAB displays (counted reference); NULL: LAB displays a machine's
     * mapping */
    struct outline *inferred;
    unsigned long session_revision;
    bool ordering;             /* whether rows are being sorted, since @begun */
    struct code_listing *code;   /* code in the detail pane; NULL: none */
    /* Clock seconds. @begun: start of the last sort. @pause_until: time until which new results do
     * not start a sort. */
    double begun, pause_until;
};

static void experiments_close(void *state)
{
    struct experiments_view_state *v = state;
    table_done(&v->view.table);
    prediction_free(v->predicted);
    machine_free(v->machine);
    outline_free(v->inferred);
    code_listing_free(v->code);
}

/* Selects the run's inferred mapping if LAB displays it. A newer mapping replaces it only after the
 * predictions of the current mapping are complete. The counted reference keeps the address unique,
 * so equal pointers are equal outlines. */
static void follow_inferred(struct experiments_view_state *v, struct session *s)
{
    struct evolve_run *run =
        s->inferred_shown && !lab_log_charts(s) ? document_newest_run(&s->document) : NULL;
    struct outline *o = run ? evolve_run_outline(run) : NULL;

    if (v->inferred == o || (v->inferred && o && v->waits))
        return;
    outline_free(v->inferred);
    v->inferred = o ? outline_hold(o) : NULL;
}

/* Returns the mapping that predicts: the inferred mapping if LAB displays it, otherwise the current
 * machine; NULL: none. */
static struct machine *machine_in_view(const struct experiments_view_state *v, struct session *s)
{
    struct err none = {0};

    return v->inferred ? v->inferred->machine : session_current(s, &none);
}

/* Selects the predictions of @m. If @anew is false, the predictions of the run's previous mapping
 * remain until new predictions exist. Returns whether the predictions changed. */
static bool predict(struct experiments_view_state *v, struct session *s, struct machine *m,
                    bool anew)
{
    struct prediction *next = m ? session_forecast(s, m) : NULL;
    const bool same_run = v->inferred && v->machine && strcmp(m->id, v->machine->id) == 0,
               none = next && !next->cycles;

    v->waits = none && session_forecasting(s, m);
    if (!anew && (next == v->predicted || (none && v->machine == m && !v->predicted->cycles) ||
                  (v->waits && same_run && v->predicted->cycles))) {
        prediction_free(next);
        return false;
    }
    prediction_free(v->predicted);
    v->predicted = next;
    if (v->machine != m) {
        machine_free(v->machine);
        v->machine = m ? machine_hold(m) : NULL;
        if (m)
            ports_shown(m, &v->ports);
    }
    return true;
}

/* Returns the data for the cells of the rows. */
static struct experiment_columns cells(const struct experiments_view_state *v)
{
    return (struct experiment_columns){v->shown, v->predicted ? v->predicted->cycles : NULL};
}

static size_t row_count(const void *context)
{
    const struct experiments_view_state *v = context;
    return v->rows;
}

static double row_number(const void *context, size_t row, int column)
{
    const struct experiment_columns c = cells(context);
    return experiment_column_number(&c, row, column);
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct experiment_columns c = cells(context);
    experiment_column_text(&c, row, column, out);
}

static enum role row_role(const void *context, size_t row, int column)
{
    if (column == EXPERIMENT_COLUMN_ERROR) {
        double error = fabs(row_number(context, row, column));
        return isnan(error)   ? ROLE_DIM
               : error > 0.25 ? ROLE_ERROR
               : error > 0.1  ? ROLE_WARN
                              : ROLE_GOOD;
    }
    return column == EXPERIMENT_COLUMN_STATE || column == EXPERIMENT_COLUMN_PREDICTED ||
                   column == EXPERIMENT_COLUMN_LENGTHS
               ? ROLE_DIM
               : ROLE_TEXT;
}

/* Returns a copy of the state for a job, with its own references to the table and the
 * predictions. */
static void *rows_hold(const void *context, struct table_source *source)
{
    const struct experiments_view_state *v = context;
    struct experiments_view_state *held = mem_zero(1, sizeof *held);

    held->shown = experiments_hold(v->shown);
    held->rows = v->rows;
    held->predicted = v->predicted ? prediction_hold(v->predicted) : NULL;
    return held;
}

static void rows_release(void *state)
{
    struct experiments_view_state *held = state;
    experiments_free(held->shown);
    prediction_free(held->predicted);
    free(held);
}

static const struct table_source source = {experiment_column_table,
                                           EXPERIMENT_COLUMNS,
                                           EXPERIMENT_FILTER_COLUMNS,
                                           row_count,
                                           row_number,
                                           row_text,
                                           row_role,
                                           rows_hold,
                                           rows_release,
                                           0};

/* Returns whether to sort the rows again because results arrived. The previous sort must be
 * complete, and sorting may use at most SHARE of the time. After the end of a command or job the
 * rows are sorted at once. */
static bool order_is_due(struct experiments_view_state *v, const struct session *s)
{
    const double now = clock_seconds();
    const bool busy = table_view_busy(v);

    if (v->ordering && !busy) {
        v->ordering = false;
        v->pause_until = now + (SHARE - 1) * (now - v->begun);
    }
    return v->revision != v->shown->revision &&
           (v->session_revision != s->revision || (!busy && now >= v->pause_until));
}

static bool refresh(void *state, struct session *s)
{
    struct experiments_view_state *v = state;
    struct experiments *t = s->document.experiments;

    if (!t || !t->rows.count)
        return false;
    bool anew = v->serial != t->serial || v->rows != t->rows.count;
    v->shown = t;
    v->serial = t->serial;
    v->rows = t->rows.count;
    follow_inferred(v, s);
    anew |= predict(v, s, machine_in_view(v, s), anew);
    anew |= order_is_due(v, s);
    v->session_revision = s->revision;
    if (!anew)
        return true;
    v->revision = t->revision;
    v->ordering = true;
    v->begun = clock_seconds();
    table_view_changed(&v->view, &source);
    return true;
}

static void experiments_open(void *state)
{
    struct experiments_view_state *v = state;

    table_view_open(&v->view, "experiments", refresh, &source);
    v->view.has_detail = true;
}

static void draw_usages(const struct experiments_view_state *v, struct grid *g, int y)
{
    const struct machine *m = v->machine;
    size_t row;
    unsigned used = 0;

    if (!table_selected(&v->view.table, &row))
        return;
    const struct experiment_row *e = &v->shown->rows.items[row];
    for (uint32_t i = 0; i < e->count && used < g->width; i++) {
        const struct flat_term *term = &experiments_terms(v->shown, row)[i];
        const char *form = v->shown->forms.items[term->form];
        const struct mapping_entry *entry = m ? mapping_find(m->mapping, form) : NULL;
        struct str usage = {0};
        if (entry)
            usage_print(&entry->usage, &v->ports, &usage);
        used +=
            grid_printf(g, (int)used, y, 0, ROLE_ACCENT, 0, "%u*%s ", (unsigned)term->count, form);
        used += grid_printf(g, (int)used, y, 0, ROLE_TEXT, 0, "%s   ",
                            !entry         ? "unknown"
                            : usage.length ? str_text(&usage)
                                           : "no port");
        str_done(&usage);
    }
}

/* Draws all samples, one column of dots per pass. Samples of the short loop body have another
 * colour. */
static void draw_samples(const struct record_samples *samples, struct grid *g, int x, int y,
                         unsigned width, unsigned height)
{
    double at[2][RECORD_VALUES], cycles[2][RECORD_VALUES];
    size_t n[2] = {0, 0}, in_pass = 0;

    for (size_t i = 0; i < samples->count; i++) {
        const struct record_sample *v = &samples->values[i];
        unsigned shorter = v->instructions < samples->instructions;
        in_pass = i && v->pass == v[-1].pass ? in_pass + 1 : 0;
        at[shorter][n[shorter]] = v->pass + 0.7 * (double)in_pass / WINDOW_VALUES;
        cycles[shorter][n[shorter]++] = (double)v->cycles;
    }
    const struct plot_series series[] = {{"short body", ROLE_WARN, at[1], cycles[1], n[1], true},
                                         {"long body", ROLE_GOOD, at[0], cycles[0], n[0], true}};
    const struct plot plot = {.title = "samples",
                              .x_label = "pass",
                              .x_min = samples->values[0].pass - 0.2,
                              .x_max = samples->passes + 0.9,
                              .series = series,
                              .series_count = 2};
    plot_draw(&plot, g, x, y, width, height);
}

/* Draws the code. If @made is true, the code is complete. If it is then empty, this CPU cannot
 * execute the experiment. If @made is false, a job may still add the code. */
static void draw_code(const struct experiment_detail *d, bool made, size_t first, struct grid *g,
                      int x, int y, unsigned width, unsigned height)
{
    const char *line = str_text(&d->code);

    if (!height)
        return;
    if (!*line) {
        grid_wrap(g, x, y, width, height, ROLE_DIM, 0,
                  made ? "This CPU cannot execute the experiment." : "The code is being encoded.");
        return;
    }
    grid_printf(g, x, y, width, ROLE_HEADER, 0, "%s: %u time%s in %zu byte%s",
                d->ran ? "code as run" : "code as it would be run", d->executions,
                plural(d->executions), d->bytes, plural(d->bytes));
    for (size_t i = 0; i < first && *line; i++)
        line += strcspn(line, "\n") + 1;
    for (unsigned row = 1; row < height && *line; row++) {
        size_t span = strcspn(line, "\n");
        grid_printf(g, x + 1, y + (int)row, width - 1, ROLE_TEXT, 0, "%.*s", (int)span, line);
        line += span + (line[span] == '\n');
    }
}

/* Adds the code that this CPU would run, once the code is made. */
static void add_code(struct experiments_view_state *v, struct session *s,
                     struct experiment_detail *d)
{
    v->code = code_listing_of_experiment(s, v->code, str_text(&d->text), d->row);
    if (!v->code->made)
        return;
    str_add(&d->code, str_text(&v->code->text));
    d->executions = v->code->executions;
    d->bytes = v->code->bytes;
}

static void draw_detail(struct experiments_view_state *v, struct session *s, struct grid *g, int y,
                        unsigned height)
{
    struct experiment_detail d;
    size_t row;

    if (!table_selected(&v->view.table, &row))
        return;
    experiment_detail_collect(s, row, v->view.first_line + height, &d);
    if (!d.ran)
        add_code(v, s, &d);
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    unsigned used = grid_printf(g, 0, y, 0, ROLE_HEADER, ATTR_BOLD, "%zu  ", row + 1);
    if (d.e->cycles > 0)
        used +=
            grid_printf(g, (int)used, y, 0, ROLE_HEADER, ATTR_BOLD, "%.4f cycles  ", d.e->cycles);
    if (d.e->spread >= 0)
        used +=
            grid_printf(g, (int)used, y, 0, ROLE_HEADER, 0, "spread %.2f %%  ", 100 * d.e->spread);
    if (d.kept)
        used +=
            grid_printf(g, (int)used, y, 0, ROLE_HEADER, 0, "%.4f GHz  ", d.samples.clock_hz / 1e9);
    grid_printf(g, (int)used, y, 0, ROLE_HEADER, 0, "%s%s%s", d.e->state,
                d.lengths.length ? ", lengths: " : "", str_text(&d.lengths));
    draw_usages(v, g, y + 1);
    unsigned rest = height > 2 ? height - 2 : 0,
             code = g->width / 2 < CODE_WIDTH ? g->width / 2 : CODE_WIDTH;
    bool side_by_side = g->width >= 60,
         plotted = d.samples.count && (side_by_side ? rest >= 5 : rest >= 11);
    if (!d.kept && rest > 1)
        grid_wrap(
            g, side_by_side ? (int)code + 1 : 0, y + (side_by_side ? 2 : (int)height - 1),
            side_by_side ? g->width - code - 1 : g->width, side_by_side ? rest : 1, ROLE_DIM, 0,
            "No samples: samples are kept only for the last experiments measured in this session.");
    if (plotted)
        draw_samples(&d.samples, g, side_by_side ? (int)code + 1 : 0, y + 2,
                     side_by_side ? g->width - code - 1 : g->width, side_by_side ? rest : rest / 2);
    unsigned above = plotted && !side_by_side ? rest / 2 : 0,
             below = !d.kept && !side_by_side && rest > 1;
    draw_code(&d, d.ran || v->code->made, v->view.first_line, g, 0, y + 2 + (int)above,
              side_by_side ? code : g->width, rest - above - below);
    experiment_detail_done(&d);
}

static void draw_title(const struct experiments_view_state *v, struct grid *g)
{
    static const struct accuracy none;
    const struct accuracy *a = v->predicted ? &v->predicted->accuracy : &none;
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%zu experiment%s", v->rows,
                                plural(v->rows));
    struct str rest = {0}, orders = {0};

    if (a->unknown)
        str_addf(&rest, "  %zu with unknown forms", a->unknown);
    else if (v->predicted && !v->predicted->cycles)
        str_add(&rest,
                job_running()
                    ? "  predictions are being computed"
                    : "  not predicted; a change of rows or machine starts the prediction again");
    if (a->n) {
        used += grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, 0, "%s: error %.2f %%",
                            v->machine->id, 100 * a->mape) +
                2;
        str_addf(&orders, ", Pearson %.3f, Spearman %.3f", a->pearson, a->spearman);
        /* Draws the orders only if the note on missing predictions also fits. */
        if (used + orders.length + ON_WIDTH + rest.length <= g->width)
            used += grid_put(g, (int)used, 0, 0, ROLE_WARN, 0, str_text(&orders));
        used += grid_printf(g, (int)used, 0, 0, ROLE_WARN, 0, " on %zu", a->n);
    }
    grid_put(g, (int)used, 0, 0, ROLE_DIM, 0, str_text(&rest));
    str_done(&rest);
    str_done(&orders);
}

/* Draws the worst findings of the chart, check or hunt that LAB shows. Returns false if there is
 * none, or if it has ended without findings. */
static bool draw_worst_of_log(struct session *s, struct grid *g)
{
    struct stage_view *log = lab_log_shown(s);

    const bool listed = log && log->lists[STAGE_WORST].title[0], runs = log && log->runs;
    if (listed)
        lab_log_draw_list(log, STAGE_WORST, g, 0);
    else if (runs)
        grid_printf(g, 2, g->height > 6, 0, ROLE_TEXT, 0, "%s: no prediction to compare with yet.",
                    log->title);
    free(log);
    return listed || runs;
}

static void experiments_draw(void *state, struct session *s, struct grid *g)
{
    struct experiments_view_state *v = state;

    const bool own = refresh(v, s);
    if (!own && draw_worst_of_log(s, g))
        return;
    if (!own) {
        view_draw_empty(
            s, &experiments_view, g,
            "Experiments are loops of a few forms. Their times show which forms share ports.",
            "do generate",
            "generates experiments of the selected forms, or of the 40 most frequent forms");
        return;
    }
    draw_title(v, g);
    unsigned pane = !v->view.detail   ? 1
                    : g->height >= 16 ? g->height * 11 / 20
                    : g->height > 4   ? g->height - 4
                                      : 1;
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1,
               g->height > pane + 1 ? g->height - 1 - pane : 1);
    if (v->view.detail)
        draw_detail(v, s, g, (int)(g->height - pane), pane);
    else
        draw_usages(v, g, (int)g->height - 1);
}

/* Appends the first form of the selected experiment. Returns false if there is none. */
static bool experiments_form(void *state, struct session *s, struct str *out)
{
    struct experiments_view_state *v = state;
    size_t row;

    if (!refresh(v, s) || !table_selected(&v->view.table, &row) || row >= v->rows ||
        !v->shown->rows.items[row].count)
        return false;
    str_add(out, v->shown->forms.items[experiments_terms(v->shown, row)->form]);
    return true;
}

static bool experiments_live(void *state, struct session *s)
{
    return job_running() > 0 || (s->inferred_shown && lab_run_goes_on(s));
}

const struct view_ops experiments_view = {
    .whole = table_view_whole,
    .name = "experiments",
    .label = "Experiments",
    .help = "measured and predicted cycles, and the error",
    .act = table_view_act,
    .marks = "cursor\tthe port usage of the row's forms is shown below\n"
             "filter\tcycles>2 & form~VADD; an empty filter shows all rows",
    .state_size = sizeof(struct experiments_view_state),
    .open = experiments_open,
    .close = experiments_close,
    .draw = experiments_draw,
    .form_at = experiments_form,
    .live = experiments_live,
    TABLE_VIEW_OPS};
