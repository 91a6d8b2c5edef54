/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/experiments_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/csv.h"
#include "base/watch.h"

#define ROW_STEPS 8   /* steps (base/steps.h) per row */

enum file_column {
    COLUMN_EXPERIMENT, COLUMN_CYCLES, COLUMN_SPREAD, COLUMN_REPEATS, COLUMN_STATE, COLUMNS
};
static const char *const column_names[COLUMNS] = {"experiment", "cycles", "spread", "repeats",
                                                  "state"};

static bool read_number(const char *text, double *out, const char *what, bool positive,
                        struct err *err)
{
    char *end = NULL;

    *out = NAN;
    if (!*text)
        return true;
    *out = strtod(text, &end);
    if (*end == '\0' && isfinite(*out) && (positive ? *out > 0 : *out >= 0))
        return true;
    return err_set(err, ERR_DATA,
                   positive ? "give a number above 0, or leave the field empty"
                            : "give a number of at least 0, or leave the field empty",
                   "invalid %s \"%s\"", what, text);
}

static bool read_row(struct experiments *t, const char *name, const struct csv_table *csv, size_t i,
                     const int columns[COLUMNS], struct err *err)
{
    const char *field[COLUMNS];
    double number[COLUMNS];
    struct experiment e = {0};
    int at = columns[COLUMN_EXPERIMENT];

    for (int c = 0; c < COLUMNS; c++)
        field[c] = columns[c] < 0 ? "" : csv->rows[i][columns[c]];
    bool ok = experiment_parse(field[COLUMN_EXPERIMENT], &e, err);
    for (int c = COLUMN_CYCLES; ok && c <= COLUMN_REPEATS; c++) {
        at = columns[c];
        ok = read_number(field[c], &number[c], column_names[c], c == COLUMN_CYCLES, err);
    }
    if (ok &&
        (number[COLUMN_REPEATS] > 1e9 || number[COLUMN_REPEATS] != floor(number[COLUMN_REPEATS])) &&
        !isnan(number[COLUMN_REPEATS]))
        ok =
            err_set(err, ERR_DATA, "give a whole number up to 1000000000, or leave the field empty",
                    "invalid number of repeats \"%s\"", field[COLUMN_REPEATS]);
    if (ok) {
        size_t row = experiments_try_add_named(t, &e);
        if (row == SIZE_MAX) {
            experiment_done(&e);
            return err_memory(err, name, csv->count * csv->columns * sizeof(char *));
        }
        double repeats = number[COLUMN_REPEATS];
        experiments_set(t, row, number[COLUMN_CYCLES], number[COLUMN_SPREAD],
                        isnan(repeats) ? 0 : (uint32_t)repeats,
                        *field[COLUMN_STATE] ? field[COLUMN_STATE] : NULL);
        for (size_t c = 0; c < csv->columns; c++) {
            bool own = false;
            for (int k = 0; k < COLUMNS; k++)
                own |= columns[k] == (int)c;
            if (!own)
                experiments_set_extra(t, row, csv->header[c], csv->rows[i][c]);
        }
    } else {
        err_at(err, name, csv->lines[i], (size_t)at + 1);
    }
    experiment_done(&e);
    return ok;
}

static struct experiments *from_table(const char *name, struct csv_table *take_csv, struct err *err)
{
    struct experiments *t = take_csv ? experiments_new() : NULL;
    int columns[COLUMNS];
    bool ok = t != NULL;

    for (int c = 0; ok && c < COLUMNS; c++)
        columns[c] = csv_table_column(take_csv, column_names[c]);
    if (ok && columns[COLUMN_EXPERIMENT] < 0) {
        ok = err_set(err, ERR_DATA, "the first line must be experiment,cycles,spread,repeats,state",
                     "the column experiment is missing");
        err_at(err, name, 1, 1);
    }
    for (size_t i = 0; ok && i < take_csv->count; i++) {
        watch_at("rows", (double)i, (double)take_csv->count);
        ok = read_row(t, name, take_csv, i, columns, err) &&
             (!watch_steps(ROW_STEPS + take_csv->columns) || watch_goes_on(err));
    }
    csv_table_free(take_csv);
    if (!ok) {
        experiments_free(t);
        return NULL;
    }
    return t;
}

struct experiments *experiments_load(const char *path, struct err *err)
{
    return from_table(path, csv_table_read(path, err), err);
}

struct experiments *experiments_parse(const char *name, const char *bytes, size_t length,
                                      struct err *err)
{
    return from_table(name, csv_table_parse(name, bytes, length, err), err);
}

static void add_number(struct str *out, double value)
{
    struct str text = {0};
    if (!isnan(value))
        str_addf(&text, "%.17g", value);
    csv_add_field(out, str_text(&text), false);
    str_done(&text);
}

void experiments_csv(const struct experiments *t, struct str *out)
{
    struct str text = {0};

    for (int c = 0; c < COLUMNS; c++)
        csv_add_field(out, column_names[c], c == COLUMN_STATE && t->extra.count == 0);
    for (size_t k = 0; k < t->extra.count; k++)
        csv_add_field(out, t->extra.items[k], k + 1 == t->extra.count);
    for (size_t i = 0; i < t->rows.count && !watch_steps(1 + t->extra.count / 8); i++) {
        const struct experiment_row *row = &t->rows.items[i];
        watch_at("rows", (double)i, (double)t->rows.count);
        str_clear(&text);
        experiments_print(t, i, &text);
        csv_add_field(out, str_text(&text), false);
        add_number(out, row->cycles);
        add_number(out, row->spread);
        add_number(out, row->repeats ? row->repeats : NAN);
        csv_add_field(out, row->state, t->extra.count == 0);
        for (size_t k = 0; k < t->extra.count; k++)
            csv_add_field(out, experiments_extra(t, i, k), k + 1 == t->extra.count);
    }
    str_done(&text);
}

bool experiments_save(const struct experiments *t, const char *path, struct err *err)
{
    struct str out = {0};

    experiments_csv(t, &out);
    bool ok = watch_goes_on(err) && file_write(path, out.data, out.length, err);
    str_done(&out);
    return ok;
}
