/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the reader of PMEvo's JSON. Expects a mapping, experiments, or an error. */
#include <stdint.h>
#include <stdlib.h>

#include "io/pmevo_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct mapping *m = pmevo_mapping_parse("fuzz", (const char *)data, size, &err);

    if (!m && err.code == ERR_NONE)
        abort();
    mapping_free(m);
    err_clear(&err);
    struct experiments *e = pmevo_experiments_parse("fuzz", (const char *)data, size, &err);
    if (!e && err.code == ERR_NONE)
        abort();
    experiments_free(e);
    return 0;
}
