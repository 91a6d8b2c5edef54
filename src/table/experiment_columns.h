/* The columns of a table of experiments for people: shown by views and compared by filters of views
 * and commands. */
#ifndef PORTOLAN_TABLE_EXPERIMENT_COLUMNS_H
#define PORTOLAN_TABLE_EXPERIMENT_COLUMNS_H

#include "model/experiments.h"
#include "table/filter.h"
#include "model/machine.h"

enum experiment_column {
    EXPERIMENT_COLUMN_TEXT,
    EXPERIMENT_COLUMN_CYCLES,
    EXPERIMENT_COLUMN_SPREAD,
    EXPERIMENT_COLUMN_REPEATS,
    EXPERIMENT_COLUMN_PREDICTED,
    EXPERIMENT_COLUMN_ERROR,
    EXPERIMENT_COLUMN_STATE,
    EXPERIMENT_COLUMN_LENGTHS,
    EXPERIMENT_COLUMNS,
    EXPERIMENT_COLUMN_FORM = EXPERIMENT_COLUMNS, /* another name of the first, in filters only */
    EXPERIMENT_FILTER_COLUMNS
};
/* In that order; the last is only for filters. */
extern const struct table_column experiment_column_table[EXPERIMENT_FILTER_COLUMNS];
/* The extra column with the difference of the two body lengths. */
#define EXPERIMENT_LENGTHS "lengths"

struct experiment_columns {
    const struct experiments *table;
    const double *predicted;     /* cycles per row; NULL: none */
};

/* NaN: missing, or no number. */
double experiment_column_number(const struct experiment_columns *c, size_t row, int column);
/* Appends; nothing for a missing value. */
void experiment_column_text(const struct experiment_columns *c, size_t row, int column,
                            struct str *out);

/* Which rows of @t match @expression, one flag a row, to be freed; @m (may be NULL) gives
 * predictions if the expression uses them. NULL with err. */
bool *experiment_rows_matching(const struct experiments *t, const struct machine *m,
                               const char *expression, struct err *err);

#endif
