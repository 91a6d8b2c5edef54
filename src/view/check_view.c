/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Check view: forms measured on this CPU compared with a machine's tables, largest disagreements
 * first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/check.h"
#include "cmd/line.h"
#include "cmd/code_listing.h"
#include "view/table_view.h"
#include "view/view.h"

enum check_column { FORM, QUANTITY, MEASURED, TABLE, DIFFERENCE, USES, MATTERS, STATE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    {"form", 0, false, 0},     {"quantity", 22, false, 60}, {"measured", 9, true, 0},
    {"table", 8, true, 0},     {"error", 8, true, 0},       {"uses", 9, true, 80},
    {"matters", 9, true, 100}, {"state", 24, false, 116},
};

struct check_view_state {
    struct table_view view;
    const struct check *shown; /* displayed check of the session; @serial identifies it */
    uint64_t serial;
    struct code_listing *code;   /* code in the detail pane; NULL: none */
    /* @known: number of rows with a measured and a predicted value. @wrong: number of these rows
     * that disagree. */
    size_t known, wrong;
};

static void check_close(void *state)
{
    struct check_view_state *v = state;

    table_done(&v->view.table);
    code_listing_free(v->code);
}

static size_t row_count(const void *context)
{
    const struct check_view_state *v = context;
    return v->shown->count;
}

static double row_number(const void *context, size_t row, int column)
{
    const struct check_row *r = &((const struct check_view_state *)context)->shown->rows[row];

    switch (column) {
    case MEASURED: return r->measured;
    case TABLE: return r->predicted;
    case DIFFERENCE: return r->predicted / r->measured - 1;
    case USES: return r->uses;
    case MATTERS: return check_weight(r);
    default: return NAN;
    }
}

static void row_text(const void *context, size_t row, int column, struct str *out)
{
    const struct check_row *r = &((const struct check_view_state *)context)->shown->rows[row];
    double number = row_number(context, row, column);

    if (column == FORM)
        str_add(out, r->form);
    else if (column == QUANTITY)
        check_quantity(r, out);
    else if (column == STATE)
        str_add(out, r->state);
    else if (isnan(number))
        str_add(out, "-");
    else if (column == DIFFERENCE)
        str_addf(out, "%+.1f %%", 100 * number);
    else
        str_addf(out, column == USES || column == MATTERS ? "%.0f" : "%.2f", number);
}

static enum role row_role(const void *context, size_t row, int column)
{
    const struct check_row *r = &((const struct check_view_state *)context)->shown->rows[row];

    if (column == DIFFERENCE)
        return isnan(r->measured) || isnan(r->predicted) ? ROLE_DIM
               : check_disagrees(r)                      ? ROLE_ERROR
                                                         : ROLE_GOOD;
    return column == STATE || column == TABLE || column == USES ? ROLE_DIM : ROLE_TEXT;
}

static const struct table_source source = {.columns = columns,
                                           .column_count = COLUMNS,
                                           .count = row_count,
                                           .number = row_number,
                                           .text = row_text,
                                           .role = row_role,
                                           .named_by = 1u << QUANTITY};

static bool refresh(void *state, struct session *s)
{
    struct check_view_state *v = state;
    if (!s->document.check)
        return false;
    v->shown = s->document.check;
    if (v->serial != v->shown->serial) {
        v->serial = v->shown->serial;
        v->view.first_line = 0;
        v->known = v->wrong = 0;
        for (size_t i = 0; i < v->shown->count; i++) {
            const struct check_row *r = &v->shown->rows[i];
            v->known += isfinite(r->measured) && isfinite(r->predicted);
            v->wrong += check_disagrees(r);
        }
        table_view_changed(&v->view, &source);
    }
    return true;
}

static void check_open(void *state)
{
    struct check_view_state *v = state;

    table_view_open(&v->view, "forms", refresh, &source);
    v->view.has_detail = true;
}

static void draw_title(const struct check_view_state *v, struct grid *g)
{
    const struct check *c = v->shown;
    unsigned used =
        grid_printf(g, 0, 0, 0, ROLE_TITLE, ATTR_BOLD, "%s compared with %s", c->machine, c->cpu);
    used += grid_printf(g, (int)used + 2, 0, 0, ROLE_WARN, 0, "differences: %zu of %zu", v->wrong,
                        v->known) +
            2;
    grid_printf(g, (int)used + 2, 0, 0, ROLE_DIM, 0, "%s", c->date);
}

/* Appends the form's entry in the notation of the tables. */
static void add_entry(struct session *s, const struct check_row *row, struct str *out)
{
    struct err err = {0};
    const struct machine *m = session_machine(s, s->document.check->machine, &err);
    const struct mapping_entry *entry = m ? mapping_find(m->mapping, row->form) : NULL;

    if (!entry) {
        str_add(out, "unknown form");
        return;
    }
    mapping_entry_print(m->mapping, entry, out);
}

/* Draws the measured and the predicted value, and the measured code. Draws nothing if no row is
 * selected. */
static void draw_detail(struct check_view_state *v, struct session *s, struct grid *g, int y,
                        unsigned height)
{
    struct str text = {0}, quantity = {0};
    size_t row;

    if (!table_selected(&v->view.table, &row))
        return;
    const struct check_row *r = &v->shown->rows[row];
    add_entry(s, r, &text);
    grid_fill(g, 0, y, g->width, 1, ROLE_HEADER, 0, ' ');
    unsigned used = grid_printf(g, 0, y, 0, ROLE_HEADER, ATTR_BOLD, "%s  ", r->form);
    check_quantity(r, &quantity);
    grid_printf(g, (int)used, y, 0, ROLE_HEADER, 0, "%s", str_text(&quantity));
    if (isnan(r->measured))
        grid_printf(g, 0, y + 1, 0, ROLE_WARN, 0, "here   %s", r->state);
    else
        grid_printf(g, 0, y + 1, 0, ROLE_TEXT, 0, "here   %.2f cycles, measured within %.1f %%%s%s",
                    r->measured, 100 * r->spread, r->latency && *r->chain.note ? "; " : "",
                    r->latency ? r->chain.note : "");
    grid_printf(g, 0, y + 2, 0, ROLE_TEXT, 0, "table  %.2f cycles: %s", r->predicted,
                str_text(&text));
    v->code = code_listing_of_check(s, v->code, v->shown->isa, r);
    const char *line = v->code->made ? str_text(&v->code->text) : "";
    for (size_t i = 0; i < v->view.first_line && *line; i++)
        line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    for (int at = y + 3; at < y + (int)height && *line; at++) {
        size_t span = strcspn(line, "\n");
        grid_printf(g, 2, at, g->width - 2, ROLE_TEXT, 0, "%.*s", (int)span, line);
        line += span + (line[span] == '\n');
    }
    str_done(&text);
    str_done(&quantity);
}

static void check_draw(void *state, struct session *s, struct grid *g)
{
    struct check_view_state *v = state;

    if (!refresh(v, s)) {
        view_draw_empty(s, &check_view, g,
                        "Forms measured on this CPU, compared with a machine's tables, the largest "
                        "differences first.",
                        "machine check", "compares the most frequent forms");
        return;
    }
    draw_title(v, g);
    unsigned pane = v->view.detail ? g->height / 2 : 0;
    table_draw(&v->view.table, &v->view.source, v, v->view.changes, g, 1,
               g->height > pane + 1 ? g->height - 1 - pane : 1);
    if (v->view.detail)
        draw_detail(v, s, g, (int)(g->height - pane), pane);
}

static bool check_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct check_view_state *v = state;
    size_t row;

    if (action != ACTION_CORRECT)
        return table_view_act(state, s, action, command);
    if (!refresh(v, s) || !table_selected(&v->view.table, &row))
        return false;
    line_add_quoted("machine correct ", v->shown->rows[row].form, command);
    return true;
}

static bool check_live(void *state, struct session *s)
{
    return s->checking != NULL;
}

const struct view_ops check_view = {
    .whole = table_view_whole,
    .name = "check",
    .label = "Check",
    .help = "forms measured here and in the tables, the largest differences first",
    .act = check_act,
    .marks = "filter\terror>0.1 & form~VADD; an empty filter shows all rows",
    .state_size = sizeof(struct check_view_state),
    .open = check_open,
    .close = check_close,
    .draw = check_draw,
    .live = check_live,
    .form_at = table_view_form,
    TABLE_VIEW_OPS};
