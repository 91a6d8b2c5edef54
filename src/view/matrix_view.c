/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix view: the current mapping of an inference run or a chart, by forms and ports. Also shows
 * the certainty of each cell, and the predicted cycles of each form in isolation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/lab_log.h"
#include "view/lab_steps.h"
#include "view/table_view.h"
#include "view/view.h"

/* columns after the form and the ports */
enum { COLUMN_HERE, COLUMN_PREDICTED, COLUMN_ERROR, COLUMN_SURE, COLUMNS_LAST };

#define PREDICTED_FROM 70    /* minimum width of a pane with a column of predictions */
#define SURE_FROM 60

struct matrix_view_state {
    struct table_view view;
    struct table_column columns[1 + PORTS_MAX + COLUMNS_LAST];
    /* Mapping of the run or of the chart (counted references). At most one of them is not NULL. */
    struct outline *o;
    struct stage_mapping *charted;
    struct ports names;
};

static void matrix_close(void *state)
{
    struct matrix_view_state *v = state;

    table_done(&v->view.table);
    outline_free(v->o);
    stage_mapping_free(v->charted);
}

static size_t row_count(const void *context)
{
    const struct matrix_view_state *v = context;
    return v->o ? v->o->problem->forms : mapping_count(v->charted->mapping);
}

static const char *form_name(const struct matrix_view_state *v, size_t row)
{
    return v->o ? v->o->problem->names[row] : mapping_at(v->charted->mapping, row)->form;
}

/* Returns the number of the form's µops that may use @port. */
static double uops_on(const struct matrix_view_state *v, size_t row, unsigned port)
{
    uint64_t uops = 0;

    if (v->o)
        return outline_uops(v->o, row, port);
    const struct usage *usage = &mapping_at(v->charted->mapping, row)->usage;
    for (unsigned i = 0; i < usage->count; i++)
        uops += usage->uops[i].ports >> port & 1 ? usage->uops[i].count : 0;
    return (double)uops;
}

static double confidence(const struct matrix_view_state *v, size_t row)
{
    return v->o ? v->o->confidence[row]
                : mapping_entry_confidence(mapping_at(v->charted->mapping, row));
}

/* Returns the measured or predicted cycles of the form in isolation, or the relative error; NaN:
 * unknown. */
static double number_alone(const struct matrix_view_state *v, size_t row, unsigned column)
{
    const uint32_t e = v->o ? v->o->alone[row] : UINT32_MAX;

    if (v->o && e == UINT32_MAX)
        return NAN;
    const double here = v->o ? (double)v->o->problem->cycles[e] : v->charted->alone[row],
                 predicted = v->o ? (double)v->o->predicted[e] : v->charted->predicted[row];
    return column == COLUMN_HERE        ? here
           : column == COLUMN_PREDICTED ? predicted
                                        : predicted / here - 1;
}

static bool has_changed(const struct matrix_view_state *v, size_t row, unsigned port)
{
    return (v->o ? v->o->changes[row] : v->charted->changes[row]) >> port & 1;
}

/* Returns whether @column belongs to a port, and sets *@port to its index. Otherwise sets *@port to
 * the COLUMN_ value, or COLUMNS_LAST for the form. */
static bool is_port(const struct matrix_view_state *v, int column, unsigned *port)
{
    const unsigned at = (unsigned)column - 1;

    *port = column == 0 ? COLUMNS_LAST : at < v->names.count ? at : at - v->names.count;
    return column > 0 && at < v->names.count;
}

static double row_number(const void *context, size_t row, int column)
{
    const struct matrix_view_state *v = context;
    unsigned at;

    if (is_port(v, column, &at))
        return uops_on(v, row, at);
    return at == COLUMN_SURE    ? confidence(v, row)
           : at == COLUMNS_LAST ? NAN
                                : number_alone(v, row, at);
}

static bool is_differing(const struct matrix_view_state *v, size_t row, unsigned port)
{
    return v->o && v->o->differing[row] >> port & 1;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct matrix_view_state *v = context;
    const double number = row_number(context, row, column);
    unsigned at;

    if (is_port(v, column, &at) && is_differing(v, row, at))
        str_add(out, "▒");
    else if (is_port(v, column, &at) && number > 1)
        str_addf(out, "%.0f", fmin(number, 9));
    else if (is_port(v, column, &at))
        str_add(out, number > 0 ? "■" : "·");
    else if (at == COLUMNS_LAST)
        str_add(out, form_name(v, row));
    else if (!isnan(number))
        str_addf(out, at == COLUMN_ERROR ? "%+.1f%%" : "%.2f",
                 at == COLUMN_ERROR ? 100 * number : number);
}

static enum role row_role(const void *context, size_t row, int column)
{
    const struct matrix_view_state *v = context;
    const double number = row_number(context, row, column);
    unsigned at;

    if (is_port(v, column, &at))
        return has_changed(v, row, at) ? ROLE_MATCH
               : is_differing(v, row, at)  ? ROLE_WARN
               : number > 0            ? ROLE_GOOD
                                          : ROLE_DIM;
    if (at != COLUMN_ERROR)
        return ROLE_TEXT;
    return isnan(number)         ? ROLE_DIM
           : fabs(number) > 0.25 ? ROLE_ERROR
           : fabs(number) > 0.1  ? ROLE_WARN
                                 : ROLE_GOOD;
}

static void set_columns(struct matrix_view_state *v)
{
    static const struct table_column last[COLUMNS_LAST] = {{"here", 6, true, 0},
                                                           {"predicted", 9, true, PREDICTED_FROM},
                                                           {"error", 7, true, 0},
                                                           {"sure", 4, true, SURE_FROM}};

    v->columns[0] = (struct table_column){"form", 0, false, 0};
    for (unsigned p = 0; p < v->names.count; p++)
        v->columns[1 + p] =
            (struct table_column){v->names.names[p], (unsigned)strlen(v->names.names[p]), true, 0};
    memcpy(v->columns + 1 + v->names.count, last, sizeof last);
}

/* Selects the mapping of the newest run or chart. Returns whether another mapping was selected. */
static bool follow(struct matrix_view_state *v, struct session *s)
{
    struct evolve_run *run = lab_log_charts(s) ? NULL : document_newest_run(&s->document);
    struct outline *o = run ? evolve_run_outline(run) : NULL;
    struct stage_mapping *charted =
        lab_log_charts(s) ? stage_log_mapped(s->document.chart) : NULL;

    const bool same = o         ? v->o && v->o->serial == o->serial
                      : charted ? v->charted && v->charted->serial == charted->serial
                                : !v->o && !v->charted;
    if (same) {
        stage_mapping_free(charted);
        return false;
    }
    outline_free(v->o);
    stage_mapping_free(v->charted);
    v->o = o ? outline_hold(o) : NULL;
    v->charted = charted;
    return true;
}

static bool refresh(void *state, struct session *s)
{
    struct matrix_view_state *v = state;

    const bool changed = follow(v, s);
    if (!v->o && !v->charted)
        return false;
    if (!changed)
        return true;
    v->names = *mapping_ports(v->o ? v->o->machine->mapping : v->charted->mapping);
    set_columns(v);
    table_view_changed(
        &v->view, &(struct table_source){v->columns, 1 + (int)v->names.count + COLUMNS_LAST, 0,
                                         row_count, row_number, row_text, row_role, NULL, NULL, 0});
    return true;
}

static void matrix_open(void *state)
{
    struct matrix_view_state *v = state;

    table_view_open(&v->view, "inferred", refresh, NULL);
    v->view.table.sort = 0; /* Rows are sorted by form. */
}

static void print_usage(const struct matrix_view_state *v, size_t row, struct str *out)
{
    struct usage usage = {0};

    if (v->charted) {
        usage_print(&mapping_at(v->charted->mapping, row)->usage, &v->names, out);
        return;
    }
    for (unsigned i = 0; i < v->o->best->genes[row].uops; i++)
        usage_add(&usage, v->o->best->genes[row].set[i], v->o->best->genes[row].count[i]);
    usage_print(&usage, &v->names, out);
    usage_done(&usage);
}

/* Draws the usage of the selected form as text, and the meaning of the visible marks. Draws nothing
 * if no form is selected. */
static void draw_detail(const struct matrix_view_state *v, struct grid *g, int y)
{
    struct str text = {0};
    size_t row;

    if (!table_selected(&v->view.table, &row))
        return;
    print_usage(v, row, &text);
    grid_printf(g, 0, y, 0, ROLE_ACCENT, 0, "%s  %s", form_name(v, row),
                text.length ? str_text(&text) : "no port");
    unsigned x = grid_put(g, 0, y + 1, 0, ROLE_GOOD, 0, "■");
    x += grid_put(g, (int)x, y + 1, 0, ROLE_DIM, 0,
                  v->o && v->o->alternatives ? " sure " : " in this mapping ");
    if (v->o && v->o->uncertain) {
        x += grid_put(g, (int)x + 1, y + 1, 0, ROLE_WARN, 0, "▒") + 1;
        x += grid_printf(g, (int)x, y + 1, 0, ROLE_DIM, 0,
                         " other good mappings differ: %zu form%s ", v->o->uncertain,
                         plural(v->o->uncertain));
    }
    const size_t changed = v->o ? v->o->changed : v->charted->changed;
    if (changed)
        grid_printf(g, (int)x + 1, y + 1, 0, ROLE_MATCH, 0, " changed: %zu cell%s ", changed,
                    plural(changed));
    str_done(&text);
}

/* Draws the name, the error and the counts of the mapping. */
static void draw_title(const struct matrix_view_state *v, const struct session *s, struct grid *g)
{
    struct stage_view *log = v->charted ? lab_log_shown(s) : NULL;
    struct evolve_run *run = document_newest_run(&s->document);
    struct str title = {0}, error = {0};
    size_t distinct;

    if (v->charted) {
        str_addf(&title, "%s%s", log ? log->title : "chart", log && log->runs ? "" : ", ended");
        distinct = mapping_distinct_uops(v->charted->mapping);
    } else {
        const struct evolve_status *status = evolve_run_status(run);
        str_addf(&title, "run %u: %s", run->number, evolve_state_names[status->state]);
        str_addf(&error, "  %s %.2f %%", status->ports ? "error" : "best trial",
                 100 * status->d_avg);
        distinct = status->distinct;
    }
    unsigned used = grid_put(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, str_text(&title));
    used += grid_put(g, (int)used, 0, 0, ROLE_WARN, ATTR_BOLD, str_text(&error));
    grid_printf(g, (int)used, 0, 0, ROLE_DIM, 0, "  %zu form%s, %u port%s, %zu distinct µop%s",
                row_count(v), plural(row_count(v)), v->names.count, plural(v->names.count),
                distinct, plural(distinct));
    str_done(&title);
    str_done(&error);
    free(log);
}

static void matrix_draw(void *state, struct session *s, struct grid *g)
{
    struct matrix_view_state *v = state;

    if (!refresh(v, s) && lab_log_charts(s)) {
        grid_wrap(g, 2, g->height > 6, g->width > 4 ? g->width - 4 : 1, 3, ROLE_TEXT, 0,
                  lab_log_runs(s)
                      ? "Stage 3 of the chart finds the ports. Then the mapping appears here."
                      : "The chart ended before stage 3, which finds the ports.");
        return;
    }
    if (!v->o && !v->charted) {
        lab_draw_empty(
            s, &matrix_view, g,
            "Best mapping of a search so far: forms by ports, updated during the search.");
        return;
    }
    draw_title(v, s, g);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1,
               g->height > 4 ? g->height - 3 : 1);
    if (g->height > 4)
        draw_detail(v, g, (int)g->height - 2);
}

static bool matrix_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct matrix_view_state *v = state;
    size_t row;

    if (action == ACTION_OPEN && refresh(v, s) && v->o && table_selected(&v->view.table, &row)) {
        str_addf(command, ":evolve edit \"%s\" ", v->o->problem->names[row]);
        print_usage(v, row, command);
        str_add(command, !v->o->best->genes[row].uops ? "none" : "");
        return true;
    }
    if (action != ACTION_PAUSE)
        return table_view_act(state, s, action, command);
    lab_pause(document_newest_run(&s->document), command);
    return true;
}

const struct view_ops matrix_view = {
    .name = "matrix",
    .label = "Inferred",
    .help = "best mapping of the inference so far: forms by ports, updated during the search",
    .act = matrix_act,
    .marks = "■\tthe port can execute µops of the form; a digit: their number\n"
             "▒\tother good mappings use or omit the port\n"
             "cursor\tthe form's usage is shown below\n"
             "filter\terror>10% | sure<1; an empty filter shows all rows",
    .state_size = sizeof(struct matrix_view_state),
    .open = matrix_open,
    .close = matrix_close,
    .draw = matrix_draw,
    .live = lab_live,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
