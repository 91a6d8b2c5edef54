/* Filter expressions over rows with columns, for views and commands: `cycles>2 & form~VADD |
 * error>40%`, or plain words in any column. Single or double quotes make text literal; & binds
 * closer than |. */
#ifndef PORTOLAN_TABLE_FILTER_H
#define PORTOLAN_TABLE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Columns of tables that people scroll, sort and filter: a view's, and those that filters of
 * commands compare. */
struct table_column {
    const char *name;
    unsigned width;        /* characters; 0: the remaining width, for one column */
    bool number;           /* sorted as a number, right-aligned */
    unsigned from;         /* minimum width of a line, in characters, to show the column */
};

struct filter_term {
    int column;           /* -1: any column */
    char op;              /* '<' '>' 'l' (<=) 'g' (>=) '=' '!' '~' (contains; * and ? match) */
    bool first;           /* first term of a group; a row must match one group */
    double number;        /* operand of a comparison; 40% is .4 */
    char *text;           /* operand of = ! ~ */
};

struct filter {
    struct filter_term *terms;   /* a row must match all terms of a group */
    size_t count;
};

/* Reads a cell: its number (NaN when missing or not numeric) or its text. */
struct filter_row {
    double (*number)(const void *row, int column);
    void (*text)(const void *row, int column, struct str *out);
    const void *row;
    int columns;
};

/* Parses an expression; column names match by prefix, case ignored. False with the place in @err;
 * @out is then empty. Refuses expressions that no row can match: an order of text, or an empty
 * range of a column. */
bool filter_parse(const char *text, const struct table_column *columns, int count,
                  struct filter *out, struct err *err);
void filter_done(struct filter *f);
/* Returns whether a row matches. An empty filter matches all. A missing number matches only
 * "!=". */
bool filter_matches(const struct filter *f, const struct filter_row *row);

#endif
