/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/experiment_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortage.h"
#include "base/watch.h"
#include "throughput/predict.h"

const struct table_column experiment_column_table[EXPERIMENT_FILTER_COLUMNS] = {
    {"experiment", 0, false, 0},
    {"cycles", 9, true, 0},
    {"spread", 8, true, 0},
    {"repeats", 7, true, 90},
    {"predicted", 9, true, 0},
    {"error", 8, true, 0},
    {"state", 12, false, 0},
    {EXPERIMENT_LENGTHS, 14, false, 110},
    {.name = "form"},
};

double experiment_column_number(const struct experiment_columns *c, size_t row, int column)
{
    const struct experiment_row *e = &c->table->rows.items[row];

    switch (column) {
    case EXPERIMENT_COLUMN_CYCLES: return e->cycles;
    case EXPERIMENT_COLUMN_SPREAD: return e->spread;
    case EXPERIMENT_COLUMN_REPEATS: return e->repeats ? e->repeats : NAN;
    case EXPERIMENT_COLUMN_PREDICTED: return c->predicted ? c->predicted[row] : NAN;
    case EXPERIMENT_COLUMN_ERROR:
        return e->cycles > 0 && c->predicted ? (c->predicted[row] - e->cycles) / e->cycles : NAN;
    default: return NAN;
    }
}

void experiment_column_text(const struct experiment_columns *c, size_t row, int column,
                            struct str *out)
{
    const struct experiment_row *e = &c->table->rows.items[row];
    double number = experiment_column_number(c, row, column);
    uint32_t lengths;

    switch (column) {
    case EXPERIMENT_COLUMN_TEXT:
    case EXPERIMENT_COLUMN_FORM:
        experiments_print(c->table, row, out);
        break;
    case EXPERIMENT_COLUMN_STATE:
        str_add(out, e->state);
        break;
    case EXPERIMENT_COLUMN_LENGTHS:
        lengths = names_find(&c->table->extra, EXPERIMENT_LENGTHS);
        if (lengths != UINT32_MAX)
            str_add(out, experiments_extra(c->table, row, lengths));
        break;
    case EXPERIMENT_COLUMN_SPREAD:
        if (!isnan(number))
            str_addf(out, "%.2f%%", 100 * number);
        break;
    case EXPERIMENT_COLUMN_ERROR:
        if (!isnan(number))
            str_addf(out, "%+.1f%%", 100 * number);
        break;
    default:
        if (!isnan(number))
            str_addf(out, column == EXPERIMENT_COLUMN_REPEATS ? "%.0f" : "%.3f", number);
    }
}

struct filtered_experiment {
    const struct experiment_columns *columns;
    size_t row;
};

static double bound_number(const void *row, int column)
{
    const struct filtered_experiment *b = row;
    return experiment_column_number(b->columns, b->row, column);
}

static void bound_text(const void *row, int column, struct str *out)
{
    const struct filtered_experiment *b = row;
    experiment_column_text(b->columns, b->row, column, out);
}

static bool asks_prediction(const struct filter *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->terms[i].column < 0 || f->terms[i].column == EXPERIMENT_COLUMN_PREDICTED ||
            f->terms[i].column == EXPERIMENT_COLUMN_ERROR)
            return true;
    return false;
}

bool *experiment_rows_matching(const struct experiments *t, const struct machine *m,
                               const char *expression, struct err *err)
{
    struct experiment_columns columns = {t, NULL};
    double *predicted = NULL;
    struct filter f;

    if (!filter_parse(expression, experiment_column_table, EXPERIMENT_FILTER_COLUMNS, &f, err))
        return NULL;
    if (m && asks_prediction(&f)) {
        predicted = shortage_alloc((t->rows.count + 1) * sizeof *predicted);
        if (predicted)
            machine_predict(m, t, predicted);
        columns.predicted = predicted;
    }
    bool *fits = mem_try_alloc((t->rows.count + 1) * sizeof *fits);
    if (!fits)
        err_memory_for(err, "the filter", (t->rows.count + 1) * sizeof *fits);
    if (fits)
        /* If cancelled, counts the remaining rows as not matching. */
        memset(fits, 0, (t->rows.count + 1) * sizeof *fits);
    for (size_t i = 0; fits && i < t->rows.count && !watch_steps(1); i++) {
        struct filtered_experiment bound = {&columns, i};
        fits[i] = filter_matches(
            &f, &(struct filter_row){bound_number, bound_text, &bound, EXPERIMENT_COLUMNS});
    }
    filter_done(&f);
    free(predicted);
    return fits;
}
