/* SPDX-License-Identifier: GPL-3.0-or-later */
#define SCORE_BYTES 16
#include "infer/score_body.h"

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

float *score_tables(size_t forms, size_t columns)
{
    size_t size = (forms + 1) * columns * sizeof(float);
    float *tables = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!tables)
        die("out of memory (%zu bytes)", size);
    memset(tables, 0, size);
    return tables;
}

void score_predict(const struct problem *p, const struct genome *g, float *cycles)
{
    const struct score_engine *engine = score_engine(NULL);
    size_t columns = score_columns(g->ports);
    float *tables = score_tables(g->forms, columns);

    for (size_t f = 0; f < g->forms; f++)
        engine->table(&g->genes[f], g->ports, g->width, tables + f * columns);
    for (uint32_t e = 0; e < p->experiments; e++)
        cycles[e] = engine->cycles(p, tables, columns, e);
    free(tables);
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
