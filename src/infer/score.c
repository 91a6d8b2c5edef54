/* SPDX-License-Identifier: GPL-3.0-or-later */
#define SCORE_BYTES 16
#include "infer/score_body.h"

#include <limits.h>
#include <string.h>

const struct score_engine score_portable = {"portable", score_table, score_cycles, score_form};

const struct score_engine *score_engine(const char *name)
{
    const struct score_engine *best = &score_portable;
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (name && strcmp(name, "avx2") == 0)
        return avx2 ? &score_avx2 : NULL;
    if (name && strcmp(name, "avx512") == 0)
        return avx512 ? &score_avx512 : NULL;
    best = avx512 ? &score_avx512 : avx2 ? &score_avx2 : best;
#endif
    if (name)
        return strcmp(name, "portable") == 0 ? &score_portable : NULL;
    return best;
}

float *score_tables(size_t forms, size_t stride)
{
    size_t size = (forms + 1) * stride * sizeof(float);
    return memset(mem_aligned(64, size), 0, size);
}

void score_predict(const struct problem *p, const struct genome *g, float *cycles)
{
    const struct score_engine *engine = score_engine(NULL);
    struct columns columns;

    columns_init(&columns, g->ports);
    for (size_t f = 0; f < g->forms; f++)
        for (unsigned i = 0; i < g->genes[f].uops; i++)
            columns_add(&columns, g->genes[f].set[i], UINT_MAX);
    size_t stride = columns_lanes(columns.count);
    struct scoring s = {p, &columns, g->genes, score_tables(g->forms, stride), stride};
    for (size_t f = 0; f < g->forms; f++)
        engine->table(&g->genes[f], &columns, 0, g->width, s.tables + f * stride);
    for (uint32_t e = 0; e < p->experiments; e++)
        cycles[e] = engine->cycles(&s, e);
    free(s.tables);
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
