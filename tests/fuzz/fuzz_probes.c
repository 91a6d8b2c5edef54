/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of tables of probes. Expects a table, or an error with its line. */
#include <stdint.h>
#include <stdlib.h>

#include "chart/probe_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct err err = {0};
    struct probe_table *t = probe_table_parse(text, "table", &err);

    if (!t && (!err.line || !*err.what))
        abort();
    probe_table_free(t);
    free(text);
    return 0;
}
