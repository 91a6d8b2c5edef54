/* A view that consists of one table: functions for moving, sorting, filtering, search, detail and
 * export, as members of struct view_ops. */
#ifndef PORTOLAN_VIEW_TABLE_VIEW_H
#define PORTOLAN_VIEW_TABLE_VIEW_H

#include "cmd/session.h"
#include "view/table.h"

/* First member of the view's state, which is the context of @source */
struct table_view {
    struct table table;
    struct table_source source;     /* source.columns NULL: no table yet */
    unsigned long changes;          /* incremented by each change of the table's content */
    const char *rows;               /* name of the rows in exports */
    /* Updates rows and source. Returns false if there are no rows. */
    bool (*refresh)(void *state, struct session *s);
    /* @has_detail: whether Enter opens a detail pane below the table. @detail: whether this pane
     * is open. */
    bool has_detail, detail;
    size_t first_line;              /* first visible line of the detail */
};

/* Initialises a table without rows. @rows and @refresh: the members. @source: source whose columns
 * commands need even if there are no rows yet; NULL: none. */
void table_view_open(struct table_view *v, const char *rows,
                     bool (*refresh)(void *state, struct session *s),
                     const struct table_source *source);
/* Marks the rows, which now come from @source, as changed. They are then filtered and sorted
 * again. */
void table_view_changed(struct table_view *v, const struct table_source *source);
/* Performs an action: moves the cursor, sorts, or opens, scrolls and closes the detail. Returns
 * false if the action has no effect here. */
bool table_view_act(void *state, struct session *s, enum action action, struct str *command);
void table_view_click(void *state, struct session *s, int x, int y);
/* table_view_mark appends the selected row as "NUMBER NAME". table_view_recall selects that row
 * again, or the first row whose first column equals @mark. Both return false if there is no such
 * row. */
bool table_view_mark(void *state, struct session *s, struct str *out);
bool table_view_recall(void *state, struct session *s, const char *mark);
/* Appends the first column of the selected row, for tables of forms. Returns false if no row is
 * selected. */
bool table_view_form(void *state, struct session *s, struct str *out);
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

/* Members of struct view_ops that views with a table share: all, or all except click. */
#define TABLE_VIEW_OPS .click = table_view_click, TABLE_VIEW_ROWS
#define TABLE_VIEW_ROWS                                                                            \
    .mark = table_view_mark, .recall = table_view_recall, .find = table_view_find,                 \
    .sort = table_view_sort, .filter = table_view_filter, .filtered = table_view_filtered,         \
    .source = table_view_source, .status = table_view_status, .rows = table_view_rows,             \
    .copy = table_view_copy, .busy = table_view_busy

#endif
