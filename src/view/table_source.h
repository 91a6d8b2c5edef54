/* Where the rows of a table come from, and content widths of its columns, so that they get the room
 * that they need and no more. */
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

#define TABLE_THEN 3   /* columns that rows are sorted by where the first leaves them equal */
struct table_key { int column; bool descending; };

#define ROOM_COLUMNS 64   /* that room_empty has bits for */

/* Columns after the first without content, which give their width to others, bit by number. UI
 * thread. */
uint64_t room_empty(const struct table_source *source, const void *context);
/* Bytes of the widest cell of the column that has no width of its own but the room that others
 * leave: on a wide screen what belongs together would stand far apart. Of very many rows nobody
 * knows: UINT_MAX. UI thread. */
unsigned room_widest(const struct table_source *source, const void *context);

#endif
