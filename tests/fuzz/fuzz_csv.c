/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the CSV reader. Expects an error, or a table that reads back unchanged after
 * writing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_row(char *const *row, size_t columns, struct str *out)
{
    for (size_t k = 0; k < columns; k++)
        csv_add_field(out, row[k], k + 1 == columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct str text = {0};
    struct csv_table *t = csv_table_parse("fuzz.csv", (const char *)data, size, &err), *again;

    if (!t) {
        if (err.code == ERR_NONE || !err.line)
            abort();
        return 0;
    }
    write_row(t->header, t->columns, &text);
    for (size_t i = 0; i < t->count; i++) {
        if (t->lines[i] < 1 || (i && t->lines[i] < t->lines[i - 1]))
            abort();
        write_row(t->rows[i], t->columns, &text);
    }
    again = csv_table_parse("again.csv", text.data, text.length, &err);
    if (!again || again->columns != t->columns || again->count != t->count)
        abort();
    for (size_t i = 0; i <= t->count; i++)
        for (size_t k = 0; k < t->columns; k++)
            if (strcmp(i ? t->rows[i - 1][k] : t->header[k],
                       i ? again->rows[i - 1][k] : again->header[k]) != 0)
                abort();
    csv_table_free(t);
    csv_table_free(again);
    str_done(&text);
    return 0;
}
