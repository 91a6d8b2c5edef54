/* A view whose body is one table, with common moving, sorting, filtering, search, detail and
 * export. Functions for struct view_ops. */
#ifndef PORTOLAN_VIEW_TABLE_VIEW_H
#define PORTOLAN_VIEW_TABLE_VIEW_H

#include "cmd/session.h"
#include "view/table.h"

/* First member of the view's state, which is the context of @source. */
struct table_view {
    struct table table;
    struct table_source source;     /* columns NULL: no table yet */
    unsigned long changes;          /* incremented by changes of the table's content */
    const char *rows;               /* name of the rows in exports */
    /* Updates rows and source; false when there are none. */
    bool (*refresh)(void *state, struct session *s);
    bool has_detail, detail;        /* Enter opens a detail below the table */
    size_t first_line;              /* first visible line of the detail */
};

/* Marks the rows as changed: they are filtered and sorted again, with @source. */
void table_view_changed(struct table_view *v, const struct table_source *source);
/* Moves the cursor, sorts, and opens, scrolls and closes the detail. */
bool table_view_act(void *state, struct session *s, enum action action, struct str *command);
void table_view_click(void *state, struct session *s, int x, int y);
/* Writes the row under the cursor as "NUMBER NAME", and goes back to it; or to the first row whose
 * first column is the text. */
bool table_view_mark(void *state, struct session *s, struct str *out);
bool table_view_recall(void *state, struct session *s, const char *mark);
/* Appends the first column of the row under the cursor, for tables of forms. */
bool table_view_form(void *state, struct session *s, struct str *out);
/* Returns whether a detail is open, which needs the whole place. */
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

/* Members of struct view_ops common to these views. */
#define TABLE_VIEW_OPS                                                                             \
    .click = table_view_click, .mark = table_view_mark, .recall = table_view_recall,               \
    .find = table_view_find, .sort = table_view_sort, .filter = table_view_filter,                 \
    .filtered = table_view_filtered, .source = table_view_source, .status = table_view_status,     \
    .rows = table_view_rows, .copy = table_view_copy, .busy = table_view_busy

#endif
