/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix view: the current mapping of an inference run by forms and ports, the certainty of each
 * cell, and the prediction of each form alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/lab_steps.h"
#include "view/table_view.h"
#include "view/view.h"

/* Columns after the form and the ports. */
enum { COLUMN_HERE, COLUMN_PREDICTED, COLUMN_ERROR, COLUMN_SURE, COLUMNS_LAST };

#define PREDICTED_FROM 70    /* least width of a pane with a column of predictions */
#define SURE_FROM 60

struct matrix_view_state {
    struct table_view view;      /* first member */
    struct table_column columns[1 + PORTS_MAX + COLUMNS_LAST];
    struct outline *o; /* counted reference; NULL: no outline yet */
    struct ports names;
};

static void matrix_close(void *state)
{
    struct matrix_view_state *v = state;

    table_done(&v->view.table);
    outline_free(v->o);
}

static size_t row_count(const void *context)
{
    return ((const struct matrix_view_state *)context)->o->problem->forms;
}

/* Returns whether @column is a port's; *@port is then its number. Otherwise *@port is the COLUMN_
 * value, or COLUMNS_LAST for the form. */
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
        return outline_uops(v->o, row, at);
    if (at == COLUMN_SURE)
        return v->o->confidence[row];
    const uint32_t e = at != COLUMNS_LAST ? v->o->alone[row] : UINT32_MAX;
    if (e == UINT32_MAX)
        return NAN;
    return at == COLUMN_HERE        ? (double)v->o->problem->cycles[e]
           : at == COLUMN_PREDICTED ? (double)v->o->predicted[e]
                                    : outline_error(v->o, e);
}

static bool in_doubt(const struct outline *o, size_t row, unsigned port)
{
    return o->doubts[row] >> port & 1;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct matrix_view_state *v = context;
    const double number = row_number(context, row, column);
    unsigned at;

    if (is_port(v, column, &at) && in_doubt(v->o, row, at))
        str_add(out, "▒");
    else if (is_port(v, column, &at) && number > 1)
        str_addf(out, "%.0f", fmin(number, 9));
    else if (is_port(v, column, &at))
        str_add(out, number > 0 ? "■" : "·");
    else if (at == COLUMNS_LAST)
        str_add(out, v->o->problem->names[row]);
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
        return v->o->changes[row] >> at & 1 ? ROLE_MATCH
               : in_doubt(v->o, row, at)    ? ROLE_WARN
               : number > 0                 ? ROLE_GOOD
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

/* Updates the rows. Returns false if there is no mapping. */
static bool refresh(void *state, struct session *s)
{
    struct matrix_view_state *v = state;
    struct evolve_run *run = lab_run(s);
    struct outline *o = run ? evolve_run_outline(run) : NULL;

    if (!o)
        return false;
    if (v->o && v->o->serial == o->serial)
        return true;
    outline_free(v->o);
    v->o = outline_hold(o);
    v->names = *mapping_ports(o->machine->mapping);
    set_columns(v);
    table_view_changed(
        &v->view, &(struct table_source){v->columns, 1 + (int)v->names.count + COLUMNS_LAST, 0,
                                         row_count, row_number, row_text, row_role, NULL, NULL, 0});
    return true;
}

static void matrix_open(void *state)
{
    struct matrix_view_state *v = state;

    table_init(&v->view.table);
    v->view.table.sort = 0; /* sorted by form */
    v->view.rows = "inferred";
    v->view.refresh = refresh;
}

/* Appends the usage of the form in @row. */
static void print_usage(const struct matrix_view_state *v, size_t row, struct str *out)
{
    struct usage usage = {0};

    for (unsigned i = 0; i < v->o->best->genes[row].uops; i++)
        usage_add(&usage, v->o->best->genes[row].set[i], v->o->best->genes[row].count[i]);
    usage_print(&usage, &v->names, out);
    usage_done(&usage);
}

/* Draws the usage of the selected form as text, and the meaning of the visible marks. */
static void draw_detail(const struct matrix_view_state *v, struct grid *g, int y)
{
    struct str text = {0};
    size_t row;

    if (!table_selected(&v->view.table, &row))
        return;
    print_usage(v, row, &text);
    grid_printf(g, 0, y, 0, ROLE_ACCENT, 0, "%s  %s", v->o->problem->names[row],
                text.length ? str_text(&text) : "no port");
    unsigned x = grid_put(g, 0, y + 1, 0, ROLE_GOOD, 0, "■");
    x += grid_put(g, (int)x, y + 1, 0, ROLE_DIM, 0,
                  v->o->alternatives ? " sure " : " in this mapping ");
    if (v->o->doubtful) {
        x += grid_put(g, (int)x + 1, y + 1, 0, ROLE_WARN, 0, "▒") + 1;
        x += grid_printf(g, (int)x, y + 1, 0, ROLE_DIM, 0,
                         " other good mappings differ: %zu form%s ", v->o->doubtful,
                         v->o->doubtful == 1 ? "" : "s");
    }
    if (v->o->changed)
        grid_printf(g, (int)x + 1, y + 1, 0, ROLE_MATCH, 0, " changed: %zu cell%s ", v->o->changed,
                    v->o->changed == 1 ? "" : "s");
    str_done(&text);
}

static void matrix_draw(void *state, struct session *s, struct grid *g)
{
    struct matrix_view_state *v = state;
    struct evolve_run *run = lab_run(s);

    if (!refresh(v, s)) {
        lab_draw_empty(
            s, &matrix_view, g,
            "Best mapping of a search so far: forms by ports, updated during the search.");
        return;
    }
    const struct evolve_status *status = evolve_run_status(run);
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "run %u: %s", run->number,
                                evolve_state_names[status->state]);
    used += grid_printf(g, (int)used, 0, 0, ROLE_WARN, ATTR_BOLD, "  %s %.2f %%",
                        status->ports ? "error" : "best trial", 100 * status->d_avg);
    grid_printf(g, (int)used, 0, 0, ROLE_DIM, 0, "  %zu forms, %u ports, %llu distinct µop%s",
                v->o->problem->forms, v->names.count, (unsigned long long)status->distinct,
                status->distinct == 1 ? "" : "s");
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1,
               g->height > 4 ? g->height - 3 : 1);
    if (g->height > 4)
        draw_detail(v, g, (int)g->height - 2);
}

static bool matrix_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct matrix_view_state *v = state;
    size_t row;

    if (action == ACTION_OPEN && refresh(v, s) && table_selected(&v->view.table, &row)) {
        str_addf(command, ":evolve edit \"%s\" ", v->o->problem->names[row]);
        print_usage(v, row, command);
        str_add(command, !v->o->best->genes[row].uops ? "none" : "");
        return true;
    }
    if (action != ACTION_PAUSE)
        return table_view_act(state, s, action, command);
    lab_pause(lab_run(s), command);
    return true;
}

static bool matrix_live(void *state, struct session *s)
{
    (void)state;
    return lab_run_goes_on(s);
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
    .live = matrix_live,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
