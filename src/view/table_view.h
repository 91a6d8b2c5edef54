/* A view whose body is one table: moving, sorting, filtering, searching, its detail and export are
 * the same in each. Functions for struct view_ops. */
#ifndef PORTOLAN_VIEW_TABLE_VIEW_H
#define PORTOLAN_VIEW_TABLE_VIEW_H

#include "cmd/session.h"
#include "view/table.h"

/* The first member of the view's own state, which is the context of @source. */
struct table_view {
    struct table table;
    struct table_source source;     /* columns NULL: there was no table yet */
    unsigned long changes;          /* of what the table shows */
    const char *rows;               /* name of its rows in exports */
    /* Brings rows and source up to date; false when there are none. */
    bool (*refresh)(void *state, struct session *s);
    bool has_detail, detail;        /* Enter opens one below the table */
    size_t first_line;              /* of the detail's text */
};

/* The rows have changed: they are filtered and sorted again, with @source. */
void table_view_changed(struct table_view *v, const struct table_source *source);
/* Moves the cursor, sorts by columns, opens, scrolls and closes the detail. */
bool table_view_act(void *state, struct session *s, enum action action, struct str *command);
void table_view_click(void *state, struct session *s, int x, int y);
/* The row under the cursor as "NUMBER NAME", and back to it; or to the first whose first column is
 * the text. */
bool table_view_mark(void *state, struct session *s, struct str *out);
bool table_view_recall(void *state, struct session *s, const char *mark);
/* The first column of the row under the cursor, of tables whose rows are forms. */
bool table_view_form(void *state, struct session *s, struct str *out);
/* Whether a detail is open below the table, which has no room in a pane. */
bool table_view_whole(void *state, struct session *s);
bool table_view_find(void *state, struct session *s, const char *text, int direction);
bool table_view_sort(void *state, struct session *s, const char *column, struct err *err);
bool table_view_filter(void *state, struct session *s, const char *expression, struct err *err);
const char *table_view_filtered(void *state);
bool table_view_source(void *state, struct session *s, struct table_source *out);
void table_view_status(void *state, struct session *s, struct str *out);
bool table_view_copy(void *state, struct session *s, enum copied part, struct str *out,
                     struct err *err);
bool table_view_busy(void *state);
bool table_view_rows(void *state, struct session *s, struct rows_shown *out);

/* The members of struct view_ops that are the same in each. */
#define TABLE_VIEW_OPS                                                                             \
    .click = table_view_click, .mark = table_view_mark, .recall = table_view_recall,               \
    .find = table_view_find, .sort = table_view_sort, .filter = table_view_filter,                 \
    .filtered = table_view_filtered, .source = table_view_source, .status = table_view_status,     \
    .rows = table_view_rows, .copy = table_view_copy, .busy = table_view_busy

#endif
