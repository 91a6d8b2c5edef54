/* Filter expressions over rows with columns, for views and commands: `cycles>2 & form~VADD |
 * error>40%`, or words that any column may contain. Single or double quotes make text literal. &
 * has precedence over |. */
#ifndef PORTOLAN_TABLE_FILTER_H
#define PORTOLAN_TABLE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* A column of a table that can be sorted or filtered, in a view or by a command */
struct table_column {
    const char *name;
    unsigned width;        /* width in characters; 0: the remaining width (one column per table) */
    bool number;           /* whether the column is numeric; it is then sorted by value and aligned
                            * to the right */
    unsigned from;         /* minimum width of a line that shows the column, in characters */
};

struct filter_term {
    int column;           /* index of the column; -1: any column */
    char op;              /* '<' '>' 'l' (<=) 'g' (>=) '=' '!' '~' (contains; * and ? match) */
    bool first;           /* whether this is the first term of a group; a row must match one of the
                           * groups */
    double number;        /* operand of a numeric comparison; 40% is 0.4; NaN: not a number */
    char *text;           /* operand of = ! ~ */
};

struct filter {
    struct filter_term *terms;   /* terms in groups; a row matches a group if it matches all its
                                  * terms */
    size_t count;
};

/* Access to the cells of a row, as a number (NaN if missing or not numeric) or as text */
struct filter_row {
    double (*number)(const void *row, int column);
    void (*text)(const void *row, int column, struct str *out);
    const void *row;
    int columns;
};

/* Parses an expression. Column names match by prefix, ignoring case. Returns false with err; @out
 * is then empty. Rejects expressions that no row can match: an order
 * comparison of text, or an empty range of a column. */
bool filter_parse(const char *text, const struct table_column *columns, int count,
                  struct filter *out, struct err *err);
void filter_done(struct filter *f);
/* Returns whether a row matches. An empty filter matches all rows. Of the comparisons with a
 * number, a missing number matches only "!=". */
bool filter_matches(const struct filter *f, const struct filter_row *row);

#endif
