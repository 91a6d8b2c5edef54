/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/select.h"

#include <math.h>
#include <stdlib.h>

#include "base/watch.h"
#include "infer/row_index.h"

static uint32_t recorded_row(const struct row_index *record, const struct experiments *t,
                             size_t row)
{
    uint32_t n = t->rows.items[row].count;
    struct flat_term *terms = mem_alloc((n + 1) * sizeof *terms);
    uint32_t found = experiments_translate(t, row, record->t, terms)
                         ? row_index_find(record, terms, n)
                         : INDEX_NONE;

    free(terms);
    return found;
}

bool replay_measure(struct experiments *t, void *state, struct err *err)
{
    const struct experiments *record = state;
    struct row_index index = row_index_new(record);

    for (size_t i = 0; i < t->rows.count && !watch_steps(1); i++) {
        if (!experiment_state_open(t->rows.items[i].state) || experiments_measured(t, i))
            continue;
        uint32_t row = recorded_row(&index, t, i);
        if (row != INDEX_NONE && experiments_measured(record, row))
            experiments_set(t, i, record->rows.items[row].cycles, record->rows.items[row].spread,
                            record->rows.items[row].repeats, NULL);
        else
            experiments_set(t, i, NAN, NAN, 0, "not in the recorded experiments");
    }
    row_index_done(&index);
    return true;
}
