/* Columns of tables that views scroll and sort and that filters of commands compare. */
#ifndef PORTOLAN_TABLE_COLUMN_H
#define PORTOLAN_TABLE_COLUMN_H

#include <stdbool.h>

struct table_column {
    const char *name;
    unsigned width;        /* characters; 0: the remaining width, for one column */
    bool number;           /* sorted as a number, right-aligned */
    unsigned from;         /* minimum width of a line, in characters, to show the column */
};

#endif
