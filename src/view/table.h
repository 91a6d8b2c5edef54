/* A table with scrolling, sorting, filtering and search, for all views with rows. The selection
 * follows its row. */
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
/* number of work steps (base/steps.h) per table_update */
#define TABLE_STEPS 100000

struct table {
    size_t *order;         /* row indices, filtered and sorted; NULL: all rows in source order */
    size_t shown, total;
    size_t cursor, top;    /* indices into @order */
    size_t height;         /* number of rows in the last drawing */
    unsigned width;        /* number of columns in the last drawing */
    size_t selected;       /* index of the selected row, which sorting and filtering preserve */
    /* row to which the cursor moves after sorting: the first (-1), the last (1) or the selected row
     * (0) */
    int goes;
    int sort;              /* sort column; -1: source order */
    struct table_key then[TABLE_THEN];
    unsigned then_count;
    uint64_t empty;        /* set of empty columns, which are hidden */
    /* size in bytes of the widest known cell in the column of variable width */
    unsigned widest;
    /* number of columns that are scrolled out at the left, after the first column */
    int skipped;
    bool descending, follow, stale;
    unsigned long revision;
    struct filter filter;
    char filter_text[FILTER_TEXT], match[128];
    /* sort in progress; NULL: complete */
    struct arrangement *arranging;
    int finding;           /* direction of a search in progress; 0: none */
    size_t find_from, find_step;
    struct tags tags;
    bool cut;              /* whether memory was exhausted, so rows are missing or unsorted */
    bool missed;           /* whether the last search found nothing */
};

void table_init(struct table *t);
void table_done(struct table *t);
/* Filters and sorts again if @revision differs from the last revision. Call it after a change of
 * @context's data and before other functions, because keys may arrive before the next drawing. A
 * large table needs several calls. The old order remains until the last call. */
void table_update(struct table *t, const struct table_source *source, const void *context,
                  unsigned long revision);
/* Returns whether the next table_update continues to filter, sort or search. ACTION_CANCEL ends
 * this work. */
bool table_busy(const struct table *t);
/* Completes filtering, sorting and searching. */
void table_finish(struct table *t, const struct table_source *source, const void *context);
/* Draws header and rows on rows @y to @y + @height - 1 of @g. Filters and sorts again if @revision
 * of the source has changed. */
void table_draw(struct table *t, const struct table_source *source, const void *context,
                unsigned long revision, struct grid *g, int y, unsigned height);
/* Performs @action: moves the cursor, scrolls columns, changes the sort column or order, follows
 * the last row, removes all tags, cancels a sort or search. Returns false for other actions. */
bool table_act(struct table *t, const struct table_source *source, enum action action);
/* Toggles the tag of the selected row, and selects the next row. Does nothing if the table is
 * empty. */
void table_tag(struct table *t, const struct table_source *source, const void *context);
/* Content to copy: the tagged rows, or the selected row if no row is tagged; only the first column
 * of these rows; or the table as `export` writes it */
enum copied { COPIED_ROWS, COPIED_NAMES, COPIED_TABLE };
/* Appends @part of the filtered and sorted rows as tab-separated lines. Returns false with err if
 * no row is visible or sorting is incomplete. */
bool table_copy(struct table *t, const struct table_source *source, const void *context,
                enum copied part, struct str *out, struct err *err);
/* Reports that there is no row to copy. Returns false. */
bool table_copies_nothing(struct err *err);
/* Selects row @row of the source. Returns false if the filter excludes it. Before the end of a sort
 * returns true, and the row is selected later. */
bool table_go(struct table *t, size_t row);
/* Handles a click at row @y of the table. A click on the header sorts by that column. A second
 * click there reverses the order. */
void table_click(struct table *t, const struct table_source *source, int x, int y);
/* Searches for @text. Returns false if no row has it. If the search is not complete (table_busy),
 * returns true. */
bool table_find(struct table *t, const struct table_source *source, const void *context,
                const char *text, int direction);
bool table_sort(struct table *t, const struct table_source *source, const char *column,
                struct err *err);
bool table_filter(struct table *t, const struct table_source *source, const char *expression,
                  struct err *err);
/* Appends the position, sorting and filter: "12/340  sort cycles  filter cycles>2". */
void table_status(const struct table *t, const struct table_source *source, struct str *out);
/* Prepares @out to collect the filtered and sorted rows, with all columns, as table @key (static).
 * UI thread; returns at once. */
void table_collect(struct table *t, const struct table_source *source, const void *context,
                   unsigned long revision, const char *key, struct rows_shown *out);
/* Returns the source index of the row at position @at of the displayed order; @at must be below
 * table.shown. */
size_t table_row(const struct table *t, size_t at);
/* Appends the name that identifies @row in tags. */
void table_row_name(const struct table_source *source, const void *context, size_t row,
                    struct str *out);
/* Returns whether the user has tagged @row. */
bool table_is_tagged(const struct table *t, const struct table_source *source, const void *context,
                     size_t row);
/* Sets *@row to the selected row. Returns false if there is none. */
bool table_selected(const struct table *t, size_t *row);

#endif
