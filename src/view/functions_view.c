/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions view: functions with loops of an object or program, or these loops, highest estimated
 * heat first. Selecting a row loads it as the kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/function_list.h"
#include "cmd/line.h"
#include "view/table_view.h"
#include "view/view.h"

enum functions_column { FUNCTION, SAMPLES, ADDRESS, BYTES, JUMPS, DEPTH, VECTORS, INNER, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"function", 0, false, 0}, {"samples", 8, true, 0},      {"address", 12, false, 0},
    {"bytes", 8, true, 0},     {"jumps back", 11, true, 90}, {"depth", 6, true, 70},
    {"vectors", 8, true, 60},  {"innermost", 9, false, 50},
};

struct functions_view_state {
    struct table_view view;
    const struct function_list *shown;
    unsigned long serial;   /* serial number of the displayed list, because another list may reuse
                             * its address */
    bool by_loops;          /* whether rows are loops instead of functions */
};

static void functions_close(void *state)
{
    table_done(&((struct functions_view_state *)state)->view.table);
}

static const struct listed_function *function_of(const void *context, size_t row)
{
    return &((const struct functions_view_state *)context)->shown->rows.items[row];
}

/* Returns the loop of a row; NULL if rows are functions. */
static const struct listed_loop *loop_of(const void *context, size_t row)
{
    const struct functions_view_state *v = context;
    return v->by_loops ? &v->shown->loops.items[row] : NULL;
}

static size_t row_count(const void *context)
{
    const struct functions_view_state *v = context;
    return v->by_loops ? v->shown->loops.count : v->shown->rows.count;
}

static double function_number(const struct listed_function *f, int column)
{
    switch (column) {
    case SAMPLES: return f->percent;
    case BYTES: return (double)f->size;
    case JUMPS: return f->loops;
    case DEPTH: return f->depth;
    case VECTORS: return f->vectors;
    default: return NAN;
    }
}

static double row_number(const void *context, size_t row, int column)
{
    const struct listed_loop *l = loop_of(context, row);

    if (!l)
        return function_number(function_of(context, row), column);
    return column == SAMPLES   ? l->percent
           : column == BYTES   ? (double)l->size
           : column == DEPTH   ? l->depth
           : column == VECTORS ? l->vectors
                               : NAN;
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct listed_loop *l = loop_of(context, row);
    const double number = row_number(context, row, column);

    if (column == FUNCTION && l)
        str_addf(out, "%s+0x%llx", l->function, (unsigned long long)l->offset);
    else if (column == FUNCTION)
        str_add(out, function_of(context, row)->name);
    else if (column == ADDRESS)
        str_addf(out, "0x%llx",
                 (unsigned long long)(l ? l->address : function_of(context, row)->address));
    else if (column == INNER)
        str_add(out, !l ? "" : l->innermost ? "yes" : "no");
    else if (!isnan(number))
        str_addf(out, column == SAMPLES ? "%.2f%%" : "%.0f", number);
}

static enum role row_role(const void *context, size_t row, int column)
{
    return column == FUNCTION ? ROLE_TEXT : ROLE_DIM;
}

/* copy with its own reference to the list, for a job that filters */
struct functions_held { struct functions_view_state copy; };

static void *hold(const void *context, struct table_source *source)
{
    const struct functions_view_state *v = context;
    struct functions_held *held = mem_zero(1, sizeof *held);

    atomic_fetch_add(&((struct function_list *)v->shown)->holders, 1);
    held->copy.shown = v->shown;
    held->copy.by_loops = v->by_loops;
    return held;
}

static void release(void *state)
{
    struct functions_held *held = state;

    function_list_free((struct function_list *)held->copy.shown);
    free(held);
}

static const struct table_source source = {.columns = columns,
                                           .column_count = COLUMNS,
                                           .count = row_count,
                                           .number = row_number,
                                           .text = row_text,
                                           .role = row_role,
                                           .hold = hold,
                                           .release = release,
                                           .named_by = 1u << ADDRESS};

static bool refresh(void *state, struct session *s)
{
    struct functions_view_state *v = state;

    if (!s->document.functions)
        return false;
    if (v->serial != s->document.functions->serial) {
        v->shown = s->document.functions;
        v->serial = v->shown->serial;
        v->by_loops = v->shown->by_loops;
        table_view_changed(&v->view, &source);
    }
    return true;
}

static void functions_open(void *state)
{
    struct functions_view_state *v = state;

    table_view_open(&v->view, "functions", refresh, &source);
}

static void functions_draw(void *state, struct session *s, struct grid *g)
{
    struct functions_view_state *v = state;

    if (!refresh(v, s)) {
        view_draw_empty(s, &functions_view, g,
                        "Functions with loops of the object or program that contains the loop.",
                        "prompt kernel functions", "lists the functions of a file");
        return;
    }
    unsigned used = grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD,
                                v->by_loops ? "%zu loop%s" : "%zu function%s with a loop",
                                row_count(v), plural(row_count(v)));
    grid_put(g, (int)used + 2, 0, 0, ROLE_DIM, 0, v->shown->path);
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1,
               g->height > 1 ? g->height - 1 : 1);
}

/* Switches between rows of functions and rows of loops. Returns false if the session has no
 * list. */
static bool show_others(struct functions_view_state *v, struct session *s)
{
    if (!refresh(v, s))
        return false;
    v->by_loops = !v->by_loops;
    table_view_changed(&v->view, &source);
    return true;
}

/* Action Open loads the selected function or loop as the kernel. Returns false if nothing is
 * selected. */
static bool functions_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct functions_view_state *v = state;
    size_t row;

    if (action == ACTION_LOOPS)
        return show_others(v, s);
    if (action != ACTION_OPEN)
        return table_view_act(state, s, action, command);
    if (!refresh(v, s) || !table_selected(&v->view.table, &row))
        return false;
    const struct listed_loop *l = loop_of(v, row);
    const char *path = l ? l->path : function_of(v, row)->path;
    line_add_quoted("kernel load ", path ? path : v->shown->path, command);
    line_add_quoted(" --symbol ", l ? l->symbol : function_of(v, row)->symbol, command);
    if (v->shown->profile)
        line_add_quoted(" --profile ", v->shown->profile, command);
    return true;
}

const struct view_ops functions_view = {
    .name = "functions",
    .label = "Functions",
    .help = "functions with loops of an object or program; Enter opens the selected row",
    .act = functions_act,
    .marks = "filter\tfunction~sort & vectors>10; an empty filter shows all rows",
    .state_size = sizeof(struct functions_view_state),
    .open = functions_open,
    .close = functions_close,
    .draw = functions_draw,
    TABLE_VIEW_OPS};
