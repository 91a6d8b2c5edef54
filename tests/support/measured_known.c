/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measured_known.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "infer/generate.h"
#include "model/metrics.h"
#include "throughput/predict.h"

#define UNSEEN 2000

bool measure_known(struct experiments *t, void *state, struct err *err)
{
    struct measured_known *s = state;
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    (void)err;
    throughput_predict(s->m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (isnan(t->rows.items[i].cycles))
            experiments_set(t, i, cycles[i] * (1 + s->noise * (2 * rng_unit(&s->rng) - 1)), NAN, 1,
                            NULL);
    free(cycles);
    return true;
}

double unseen(const struct mapping *truth, const struct mapping *found)
{
    struct experiments *t = experiments_new();
    uint32_t *forms = mem_alloc((mapping_count(truth) + 1) * sizeof *forms);
    struct rng rng;

    rng_seed(&rng, 77);
    for (size_t f = 0; f < mapping_count(truth); f++)
        forms[f] = names_add(&t->forms, mapping_at(truth, f)->form);
    generate_random(t, forms, mapping_count(truth), UNSEEN, 5, &rng);
    double *a = mem_alloc(2 * t->rows.count * sizeof *a), *b = a + t->rows.count;
    throughput_predict(truth, t, a);
    throughput_predict(found, t, b);
    double error = metrics_mape(b, a, t->rows.count);
    free(a);
    free(forms);
    experiments_free(t);
    return error;
}
