/* Sources of table rows, and content widths of their columns, which limit the columns' widths. */
#ifndef PORTOLAN_VIEW_TABLE_SOURCE_H
#define PORTOLAN_VIEW_TABLE_SOURCE_H

#include <stdint.h>

#include "base/str.h"
#include "table/filter.h"
#include "view/grid.h"

/* Rows are named by index 0 .. count-1, stable while they exist. */
struct table_source {
    const struct table_column *columns;
    int column_count;
    /* including columns for filters only, for text(); 0: none */
    int filter_count;
    size_t (*count)(const void *context);
    double (*number)(const void *context, size_t row, int column);   /* NaN: missing */
    void (*text)(const void *context, size_t row, int column, struct str *out);
    enum role (*role)(const void *context, size_t row, int column);  /* may be NULL */
    /* Returns an immutable copy of the context for any thread, to be freed by release; may set
     * @source's columns. NULL: there are never many rows. */
    void *(*hold)(const void *context, struct table_source *source);
    void (*release)(void *held);
    /* bit set of columns, including those for filters, that distinguish rows with an equal first
     * column; 0: none */
    uint32_t named_by;
};

#define TABLE_THEN 3   /* secondary sort columns */
struct table_key { int column; bool descending; };

#define ROOM_COLUMNS 64   /* columns covered by room_empty */

/* Bit set of columns after the first without content, whose width is given to others. UI thread. */
uint64_t room_empty(const struct table_source *source, const void *context);
/* Bytes of the widest cell in the column of variable width: limits it on a wide screen. Of very
 * many rows some are looked at; those in sight may take more (room_of_row). UI thread. */
unsigned room_widest(const struct table_source *source, const void *context);
/* Bytes of that cell of @row. UI thread. */
unsigned room_of_row(const struct table_source *source, const void *context, size_t row);

#endif
