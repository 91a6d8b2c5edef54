/* Sources of table rows, and functions that measure columns to determine their widths */
#ifndef PORTOLAN_VIEW_TABLE_SOURCE_H
#define PORTOLAN_VIEW_TABLE_SOURCE_H

#include <stdint.h>

#include "base/str.h"
#include "table/filter.h"
#include "view/grid.h"

/* Rows have indices from 0 to count - 1, which do not change. */
struct table_source {
    const struct table_column *columns;
    int column_count;
    /* number of columns, including those only for filters, which text() accepts; 0: column_count */
    int filter_count;
    size_t (*count)(const void *context);
    double (*number)(const void *context, size_t row, int column);   /* value of the cell; NaN: the
                                                                      * cell is empty */
    void (*text)(const void *context, size_t row, int column, struct str *out);
    enum role (*role)(const void *context, size_t row, int column);  /* colour role of the cell;
                                                                      * may be NULL */
    /* Returns an immutable copy of the context for any thread, which `release` frees. May set the
     * columns of @source. NULL if the source never has many rows. */
    void *(*hold)(const void *context, struct table_source *source);
    void (*release)(void *held);
    /* set of the columns, including those only for filters, that distinguish rows with equal first
     * column; 0: none */
    uint32_t named_by;
};

#define TABLE_THEN 3   /* maximum number of secondary sort columns */
struct table_key { int column; bool descending; };

#define ROOM_COLUMNS 64   /* number of columns that room_empty examines */

/* Returns the set of columns without content, except the first. Other columns may use the width of
 * these columns. Returns 0 for a large table, whose rows are not all read. UI thread. */
uint64_t room_empty(const struct table_source *source, const void *context);
/* Returns the number of bytes of the widest cell in the column of variable width. Examines a sample
 * of very many rows, so visible rows may be wider (room_of_row). UI thread. */
unsigned room_widest(const struct table_source *source, const void *context);
/* Returns the number of bytes of the cell in row @row and the column of variable width. UI
 * thread. */
unsigned room_of_row(const struct table_source *source, const void *context, size_t row);

#endif
