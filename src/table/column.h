/* Columns of tables that people scroll, sort and filter: a view's, and those that filters of
 * commands compare. */
#ifndef PORTOLAN_TABLE_COLUMN_H
#define PORTOLAN_TABLE_COLUMN_H

#include <stdbool.h>

struct table_column {
    const char *name;
    unsigned width;        /* characters; 0: the rest, for one of them */
    bool number;           /* sorted as one, right-aligned */
    unsigned from;         /* characters that a line must have for it to be shown */
};

#endif
