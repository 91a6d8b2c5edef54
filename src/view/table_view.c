/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/table_view.h"

#include <stdlib.h>
#include <string.h>

/* maximum number of rows searched for a name */
#define RECALL_ROWS 100000

void table_view_open(struct table_view *v, const char *rows,
                     bool (*refresh)(void *state, struct session *s),
                     const struct table_source *source)
{
    table_init(&v->table);
    v->rows = rows;
    v->refresh = refresh;
    if (source)
        v->source = *source;
}

void table_view_changed(struct table_view *v, const struct table_source *source)
{
    v->source = *source;
    v->changes++;
    table_update(&v->table, &v->source, v, v->changes);
}

bool table_view_act(void *state, struct session *s, enum action action, struct str *command)
{
    struct table_view *v = state;
    size_t row = v->table.selected;

    if (!v->refresh(state, s))
        return false;
    if (v->has_detail && action == ACTION_OPEN) {
        v->detail = !v->detail;
        v->first_line = 0;
        return true;
    }
    if (v->detail && (action == ACTION_CANCEL || action == ACTION_BACK)) {
        v->detail = false;
        return true;
    }
    if (v->has_detail && (action == ACTION_DETAIL_DOWN || action == ACTION_DETAIL_UP)) {
        v->first_line = action == ACTION_DETAIL_DOWN ? v->first_line + v->detail
                                                     : v->first_line - (v->first_line > 0);
        return true;
    }
    if (action == ACTION_TAG) {
        table_tag(&v->table, &v->source, v);
        return true;
    }
    bool used = table_act(&v->table, &v->source, action);
    v->first_line = v->table.selected == row ? v->first_line : 0;
    return used;
}

void table_view_click(void *state, struct session *s, int x, int y)
{
    struct table_view *v = state;
    if (y >= 1 && v->refresh(state, s))
        table_click(&v->table, &v->source, x, y - 1);
}

static bool selected(struct table_view *v, struct session *s, size_t *row)
{
    return v->refresh(v, s) && table_selected(&v->table, row) && *row < v->source.count(v);
}

bool table_view_form(void *state, struct session *s, struct str *out)
{
    struct table_view *v = state;
    size_t row;

    if (!selected(v, s, &row))
        return false;
    v->source.text(v, row, 0, out);
    return true;
}

bool table_view_mark(void *state, struct session *s, struct str *out)
{
    struct table_view *v = state;
    size_t row;

    if (!selected(v, s, &row))
        return false;
    str_addf(out, "%zu ", row);
    v->source.text(v, row, 0, out);
    return true;
}

static bool is_named(const struct table_view *v, size_t row, const char *name)
{
    struct str text = {0};

    v->source.text(v, row, 0, &text);
    bool same = strcmp(str_text(&text), name) == 0;
    str_done(&text);
    return same;
}

bool table_view_recall(void *state, struct session *s, const char *mark)
{
    struct table_view *v = state;
    char *name;

    if (!v->refresh(state, s))
        return false;
    const size_t count = v->source.count(v), row = strtoul(mark, &name, 10);
    const bool numbered = name != mark && *name == ' ';
    name = numbered ? name + 1 : (char *)mark;
    table_update(&v->table, &v->source, v, v->changes);
    if (numbered && row < count && is_named(v, row, name))
        return table_go(&v->table, row);
    for (size_t i = 0; i < count && i < RECALL_ROWS; i++)
        if (is_named(v, i, name) && table_go(&v->table, i))
            return true;
    return false;
}

bool table_view_whole(void *state, struct session *s)
{
    return ((const struct table_view *)state)->detail;
}

bool table_view_find(void *state, struct session *s, const char *text, int direction)
{
    struct table_view *v = state;
    return v->refresh(state, s) && table_find(&v->table, &v->source, state, text, direction);
}

static bool has_columns(struct table_view *v, struct session *s, struct err *err)
{
    return v->refresh(v, s) || v->source.columns ||
           err_set(err, ERR_USAGE, NULL, "the view shows no table yet");
}

/* Starts to filter and sort the rows. A key may arrive before the next drawing, and must apply to
 * the rows that the command selects. Returns true. */
static bool arranged(struct table_view *v, struct session *s)
{
    if (v->refresh(v, s))
        table_update(&v->table, &v->source, v, v->changes);
    return true;
}

bool table_view_sort(void *state, struct session *s, const char *column, struct err *err)
{
    struct table_view *v = state;
    return has_columns(v, s, err) && table_sort(&v->table, &v->source, column, err) &&
           arranged(v, s);
}

bool table_view_filter(void *state, struct session *s, const char *expression, struct err *err)
{
    struct table_view *v = state;
    return has_columns(v, s, err) && table_filter(&v->table, &v->source, expression, err) &&
           arranged(v, s);
}

const char *table_view_filtered(void *state)
{
    return ((const struct table_view *)state)->table.filter_text;
}

bool table_view_source(void *state, struct session *s, struct table_source *out)
{
    struct table_view *v = state;

    v->refresh(state, s);
    *out = v->source;
    return v->source.columns != NULL;
}

void table_view_status(void *state, struct session *s, struct str *out)
{
    struct table_view *v = state;
    if (v->refresh(state, s))
        table_status(&v->table, &v->source, out);
}

bool table_view_copy(void *state, struct session *s, enum copied part, struct str *out,
                     struct err *err)
{
    struct table_view *v = state;
    return v->refresh(state, s) ? table_copy(&v->table, &v->source, v, part, out, err)
                                : table_copies_nothing(err);
}

bool table_view_busy(void *state)
{
    const struct table_view *v = state;
    return table_busy(&v->table);
}

bool table_view_rows(void *state, struct session *s, struct rows_shown *out)
{
    struct table_view *v = state;

    if (!v->refresh(state, s))
        return false;
    table_collect(&v->table, &v->source, state, v->changes, v->rows, out);
    return true;
}
