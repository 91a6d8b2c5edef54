/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measured_known.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "throughput/predict.h"

bool measure_known(struct experiments *t, void *state, struct err *err)
{
    struct measured_known *s = state;
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    (void)err;
    throughput_predict(s->m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (isnan(t->rows.items[i].cycles))
            experiments_set(t, i, cycles[i] * (1 + s->noise * (2 * rng_unit(&s->rng) - 1)), NAN, 1, NULL);
    free(cycles);
    return true;
}
