/* A table that scrolls, sorts, filters and searches: the body of every view with rows. The
 * selection follows its row. */
#ifndef PORTOLAN_VIEW_TABLE_H
#define PORTOLAN_VIEW_TABLE_H

#include "cmd/action.h"
#include "cmd/session.h"
#include "table/column.h"
#include "table/filter.h"
#include "table/result.h"
#include "view/grid.h"
#include "view/tags.h"

/* Where the rows come from. Rows are named by index 0 .. count-1, stable while they exist. */
struct table_source {
    const struct table_column *columns;
    int column_count;
    /* including columns for filters only, numbered for text(); 0: none more */
    int filter_count;
    size_t (*count)(const void *context);
    double (*number)(const void *context, size_t row, int column);   /* NaN: missing */
    void (*text)(const void *context, size_t row, int column, struct str *out);
    enum role (*role)(const void *context, size_t row, int column);  /* may be NULL */
    /* A context that stays as it is and that any thread may read, for release; may point @source's
     * columns into it. NULL: there are never many rows. */
    void *(*hold)(const void *context, struct table_source *source);
    void (*release)(void *held);
    /* columns, bit by number, including those for filters only, that distinguish rows with an equal
     * first column; 0: none is */
    uint32_t named_by;
};

struct arrangement;

#define TABLE_THEN 3   /* columns that rows are sorted by where the first leaves them equal */
struct table_key { int column; bool descending; };

#define FILTER_TEXT 512
/* of base/steps.h that one table_update takes at most, or little more: some milliseconds */
#define TABLE_STEPS 100000

struct table {
    size_t *order;         /* rows shown, filtered and sorted; NULL: all, as they come */
    size_t shown, total;
    size_t cursor, top;    /* into order */
    size_t height;         /* rows of the last drawing */
    unsigned width;        /* and its columns */
    size_t selected;       /* the row under the cursor, kept through sort and filter */
    /* to the first (-1) or last (1) row once they are in order; 0: stays with the selected one */
    int goes;
    int sort;              /* column, -1 as they come */
    struct table_key then[TABLE_THEN];
    unsigned then_count;
    uint64_t empty;        /* columns with nothing in any row, which are not shown: bit by number */
    unsigned widest;       /* cell of the column that has no width of its own */
    int skipped;           /* columns after the first that are scrolled out to the left */
    bool descending, follow, stale;
    unsigned long revision;
    struct filter filter;
    char filter_text[FILTER_TEXT], match[128];
    /* rows that are being filtered and sorted; NULL: they are in order */
    struct arrangement *arranging;
    int finding;           /* direction of a search in progress, 0: none */
    size_t find_from, find_step;
    struct tags tags;
    bool cut;              /* memory ran out: rows are missing or out of order */
    bool missed;           /* the last search went around without finding anything */
};

void table_init(struct table *t);
void table_done(struct table *t);
/* Filters and sorts again when @revision differs. Whoever changes the data of @context calls it
 * before anything else touches the table: keys may come in before the next drawing. Large tables
 * take several calls: until then the old order stays. */
void table_update(struct table *t, const struct table_source *source, const void *context,
                  unsigned long revision);
/* Whether filtering, sorting or searching continues with the next table_update; ACTION_CANCEL ends
 * it. */
bool table_busy(const struct table *t);
/* Completes the work in progress. */
void table_finish(struct table *t, const struct table_source *source, const void *context);
/* Draws header and rows on rows @y .. @y+@height-1 of @g. @revision: of the source; another one
 * filters and sorts again. */
void table_draw(struct table *t, const struct table_source *source, const void *context,
                unsigned long revision, struct grid *g, int y, unsigned height);
/* Moves, of which left and right scroll the columns after the first, sorts by the next column,
 * reverses, follows the newest. False for actions that no table has. */
bool table_act(struct table *t, const struct table_source *source, enum action action);
/* Tags the row under the cursor, or takes its tag away, and goes to the next. */
void table_tag(struct table *t, const struct table_source *source, const void *context);
/* Which rows are copied, and what of them: those that are tagged, or with none the one under the
 * cursor; only their first column; or, below the columns' names, all that `export` writes. */
enum copied { COPIED_ROWS, COPIED_NAMES, COPIED_TABLE };
/* Appends that part of the rows as they are filtered and sorted, a line each, a tab between
 * columns. False with err when none is in sight, or they are not in order yet. */
bool table_copy(struct table *t, const struct table_source *source, const void *context,
                enum copied part, struct str *out, struct err *err);
/* There is no row: false with err. */
bool table_copies_nothing(struct err *err);
/* Puts the cursor on row @row of the source; false when the filter, as far as it has run, leaves it
 * out. */
bool table_go(struct table *t, size_t row);
/* A press at row @y of the area that table_draw got; on the header it sorts. */
void table_click(struct table *t, const struct table_source *source, int x, int y);
/* False when no row holds @text; true when one does, and also while that is not known yet
 * (table_busy). */
bool table_find(struct table *t, const struct table_source *source, const void *context,
                const char *text, int direction);
bool table_sort(struct table *t, const struct table_source *source, const char *column,
                struct err *err);
bool table_filter(struct table *t, const struct table_source *source, const char *expression,
                  struct err *err);
/* "12/340  sort cycles  filter cycles>2". */
void table_status(const struct table *t, const struct table_source *source, struct str *out);
/* The rows as they are filtered and sorted, all columns, to become table @key (which lasts) of a
 * result. UI thread, and it starts no long work. */
void table_collect(struct table *t, const struct table_source *source, const void *context,
                   unsigned long revision, const char *key, struct rows_shown *out);
/* The row that is shown at @at, below table.shown. */
size_t table_row(const struct table *t, size_t at);
/* Into @out: what @row is tagged by. */
void table_row_name(const struct table_source *source, const void *context, size_t row,
                    struct str *out);
/* Whether @row is among the rows that the user has tagged. */
bool table_is_tagged(const struct table *t, const struct table_source *source, const void *context,
                     size_t row);
/* Row under the cursor; false when there is none. */
bool table_selected(const struct table *t, size_t *row);

#endif
