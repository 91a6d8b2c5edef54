/* Columns of a table of experiments, for views and filters. */
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
    EXPERIMENT_COLUMN_FORM = EXPERIMENT_COLUMNS, /* alias of the first column, for filters only */
    EXPERIMENT_FILTER_COLUMNS
};
/* All columns, in the order of the enum. The last column is for filters only. */
extern const struct table_column experiment_column_table[EXPERIMENT_FILTER_COLUMNS];
/* name of an additional column: the difference between the lengths of the two measured bodies */
#define EXPERIMENT_LENGTHS "lengths"

struct experiment_columns {
    const struct experiments *table;
    const double *predicted;     /* predicted cycles per row; NULL: none */
};

/* Returns the number in a cell; NaN if it is missing or not numeric. */
double experiment_column_number(const struct experiment_columns *c, size_t row, int column);
/* Appends the cell's text; nothing for a missing value. */
void experiment_column_text(const struct experiment_columns *c, size_t row, int column,
                            struct str *out);

/* Returns one flag per row of @t: whether the row matches @expression. Machine @m (may be NULL)
 * makes the predictions in the expression. The caller frees the flags. Returns NULL with err. */
bool *experiment_rows_matching(const struct experiments *t, const struct machine *m,
                               const char *expression, struct err *err);

#endif
