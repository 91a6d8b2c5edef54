/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "infer/score.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void score_predict(const struct problem *p, const struct genome *g, float *cycles)
{
    const struct table_engine *engine = table_engine(NULL);
    struct columns columns;

    columns_init(&columns, g->ports);
    for (size_t f = 0; f < g->forms; f++)
        for (unsigned i = 0; i < g->genes[f].uops; i++)
            columns_add(&columns, g->genes[f].set[i], UINT_MAX);
    size_t stride = columns_lanes(columns.count);
    struct tables tables = problem_tables(p, &columns, g->genes, stride);
    for (size_t f = 0; f < g->forms; f++)
        engine->fill(&g->genes[f], &columns, 0, g->width, tables.values + f * stride);
    for (uint32_t e = 0; e < p->experiments; e++)
        cycles[e] = engine->cycles(&tables, e);
    free(tables.values);
    columns_done(&columns);
}

double score_genome(const struct problem *p, const struct genome *g)
{
    float *cycles = mem_alloc((p->experiments + 1) * sizeof *cycles);
    double sum = 0;

    score_predict(p, g, cycles);
    for (size_t e = 0; e < p->experiments; e++)
        sum += fabs((double)cycles[e] * (double)p->inverse[e] - (double)p->weight[e]);
    free(cycles);
    return sum / p->weights;
}
