/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the CSV reader: what it takes, written again, reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_row(char **fields, size_t columns, struct str *out)
{
    for (size_t c = 0; c < columns; c++)
        csv_add_field(out, fields[c], c + 1 == columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct str text = {0};
    struct csv_table *t = csv_table_parse("fuzz", (const char *)data, size, &err);

    if (!t) {
        if (err.code == ERR_NONE)
            abort();
        return 0;
    }
    write_row(t->header, t->columns, &text);
    for (size_t i = 0; i < t->count; i++)
        write_row(t->rows[i], t->columns, &text);
    /* A row of one empty field is an empty line, which a reader may pass over. */
    if (t->columns > 1) {
        struct csv_table *again = csv_table_parse("again", text.data, text.length, &err);
        if (!again || again->count != t->count || again->columns != t->columns)
            abort();
        for (size_t i = 0; i < t->count; i++)
            for (size_t c = 0; c < t->columns; c++)
                if (strcmp(t->rows[i][c], again->rows[i][c]) != 0)
                    abort();
        csv_table_free(again);
    }
    str_done(&text);
    csv_table_free(t);
    return 0;
}
