/* Filter expressions over rows with columns, for views and commands alike: `cycles>2 & form~VADD |
 * error>40%`, or plain words in any column. Quotes, single or double, make text literal; & binds
 * closer than |. */
#ifndef PORTOLAN_TABLE_FILTER_H
#define PORTOLAN_TABLE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "table/column.h"

struct filter_term {
    int column;           /* -1: any */
    char op;              /* '<' '>' 'l' (<=) 'g' (>=) '=' '!' '~' (holds, * and ? match) */
    bool first;           /* of a group: one of the groups must hold */
    double number;        /* of a comparison; 40% is .4 */
    char *text;           /* of = ! ~ */
};

struct filter {
    struct filter_term *terms;   /* all of a group must hold */
    size_t count;
};

/* Reads the value of a cell: its number (NaN when it is none or missing) or its text. */
struct filter_row {
    double (*number)(const void *row, int column);
    void (*text)(const void *row, int column, struct str *out);
    const void *row;
    int columns;
};

/* Column names are matched by prefix, case ignored. False with @err naming the place; @out is then
 * empty. Expressions that no row can match are refused: an order of text, or a group with an empty
 * range of a column. */
bool filter_parse(const char *text, const struct table_column *columns, int count,
                  struct filter *out, struct err *err);
void filter_done(struct filter *f);
/* An empty filter matches all. A missing number matches no comparison but "!=". */
bool filter_matches(const struct filter *f, const struct filter_row *row);

#endif
