/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeds bytes to the readers of experiments and populations: CSV, PMEvo's JSON, checkpoints.
 * Accepted input must be consistent. */
#include <stdint.h>
#include <stdlib.h>

#include "io/experiments_file.h"
#include "io/pmevo_json.h"
#include "io/population_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct experiments *t)
{
    for (size_t i = 0; t && i < t->rows.count; i++)
        if (t->rows.items[i].count == 0 ||
            (t->rows.items[i].cycles == t->rows.items[i].cycles && !experiments_measured(t, i)))
            abort();
    experiments_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct population p;

    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    switch (data[0] % 4) {
    case 0:
        check(experiments_parse("f", text, size - 1, &err));
        break;
    case 1:
        check(pmevo_experiments_parse("f", text, size - 1, &err));
        break;
    case 2:
        mapping_free(pmevo_mapping_parse("f", text, size - 1, &err));
        break;
    default:
        if (population_parse("f", text, size - 1, &p, &err))
            population_done(&p);
    }
    return 0;
}
