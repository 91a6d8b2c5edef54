/* A table with scrolling, sorting, filtering and search, the body of every view with rows. The
 * selection follows its row. */
#ifndef PORTOLAN_VIEW_TABLE_H
#define PORTOLAN_VIEW_TABLE_H

#include "cmd/action.h"
#include "cmd/session.h"
#include "table/filter.h"
#include "table/result.h"
#include "view/grid.h"
#include "view/table_source.h"
#include "view/tags.h"

struct arrangement;


#define FILTER_TEXT 512
/* steps (base/steps.h) per table_update, approximately: some milliseconds */
#define TABLE_STEPS 100000

struct table {
    size_t *order;         /* filtered and sorted rows; NULL: all in source order */
    size_t shown, total;
    size_t cursor, top;    /* indices into @order */
    size_t height;         /* visible rows at the last drawing */
    unsigned width;        /* and its columns */
    size_t selected;       /* row under the cursor, kept when sorting and filtering */
    /* move to the first (-1) or last (1) row once sorted; 0: stay */
    int goes;
    int sort;              /* -1: source order */
    struct table_key then[TABLE_THEN];
    unsigned then_count;
    uint64_t empty;        /* bit set of hidden empty columns */
    unsigned widest;       /* bytes of the widest cell of the variable column */
    int skipped;           /* columns after the first scrolled out to the left */
    bool descending, follow, stale;
    unsigned long revision;
    struct filter filter;
    char filter_text[FILTER_TEXT], match[128];
    /* filtering and sorting in progress; NULL: complete */
    struct arrangement *arranging;
    int finding;           /* direction of a running search, 0: none */
    size_t find_from, find_step;
    struct tags tags;
    bool cut;              /* out of memory: rows are missing or out of order */
    bool missed;           /* the last search found nothing */
};

void table_init(struct table *t);
void table_done(struct table *t);
/* Filters and sorts again when @revision differs. Call it after changing the data of @context
 * before other functions, since keys may arrive before the next drawing. Large tables take several
 * calls, with the old order meanwhile. */
void table_update(struct table *t, const struct table_source *source, const void *context,
                  unsigned long revision);
/* Returns whether filtering, sorting or searching continues with the next table_update;
 * ACTION_CANCEL ends it. */
bool table_busy(const struct table *t);
/* Completes the work in progress. */
void table_finish(struct table *t, const struct table_source *source, const void *context);
/* Draws header and rows on rows @y .. @y+@height-1 of @g. @revision: of the source; a new one
 * filters and sorts again. */
void table_draw(struct table *t, const struct table_source *source, const void *context,
                unsigned long revision, struct grid *g, int y, unsigned height);
/* Moves (left and right scroll the columns), sorts by the next column, reverses, follows the
 * newest. False for other actions. */
bool table_act(struct table *t, const struct table_source *source, enum action action);
/* Toggles the tag of the row under the cursor, and goes to the next. */
void table_tag(struct table *t, const struct table_source *source, const void *context);
/* Copied part of the tagged rows, or else of the row under the cursor: the first column only, or
 * everything that `export` writes. */
enum copied { COPIED_ROWS, COPIED_NAMES, COPIED_TABLE };
/* Appends that part of the filtered and sorted rows, tab-separated lines. False with err when no
 * row is visible, or sorting is incomplete. */
bool table_copy(struct table *t, const struct table_source *source, const void *context,
                enum copied part, struct str *out, struct err *err);
/* Returns whether there is no row to copy: false with err. */
bool table_copies_nothing(struct err *err);
/* Moves the cursor to row @row of the source; false when the filter excludes it. */
bool table_go(struct table *t, size_t row);
/* Handles a click at row @y of the table's area; a click on the header sorts. */
void table_click(struct table *t, const struct table_source *source, int x, int y);
/* Searches; false when no row has @text; true when one does, or while unknown (table_busy). */
bool table_find(struct table *t, const struct table_source *source, const void *context,
                const char *text, int direction);
bool table_sort(struct table *t, const struct table_source *source, const char *column,
                struct err *err);
bool table_filter(struct table *t, const struct table_source *source, const char *expression,
                  struct err *err);
/* "12/340  sort cycles  filter cycles>2". */
void table_status(const struct table *t, const struct table_source *source, struct str *out);
/* Starts collecting the filtered and sorted rows with all columns as table @key (static) of a
 * result. UI thread; does no long work. */
void table_collect(struct table *t, const struct table_source *source, const void *context,
                   unsigned long revision, const char *key, struct rows_shown *out);
/* Returns the row shown at position @at, below table.shown. */
size_t table_row(const struct table *t, size_t at);
/* Writes to @out the name by which @row is tagged. */
void table_row_name(const struct table_source *source, const void *context, size_t row,
                    struct str *out);
/* Returns whether the user has tagged @row. */
bool table_is_tagged(const struct table *t, const struct table_source *source, const void *context,
                     size_t row);
/* Returns the row under the cursor; false when there is none. */
bool table_selected(const struct table *t, size_t *row);

#endif
