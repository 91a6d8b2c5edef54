/* Fast evaluation of genomes. Each form has a table with one column per set of ports Q: the mass of its µops that fit only into Q,
 * over |Q|. Then cycles of an experiment = max over columns of the sum of its forms' tables (PMEvo eq. 1), whatever the usages
 * are. The column of the empty set, which no µop fits, holds slots / width instead: the issue bound. */
#ifndef PORTOLAN_INFER_SCORE_H
#define PORTOLAN_INFER_SCORE_H

#include "infer/genome.h"

/* Columns for @ports ports: 2^ports, and at least PROBLEM_LANES. */
static inline size_t score_columns(unsigned ports)
{
    return ports > 4 ? (size_t)1 << ports : PROBLEM_LANES;
}

/* One compiled version; any thread. Tables are aligned to 64 bytes. */
struct score_engine {
    const char *name;
    void (*table)(const struct gene *gene, unsigned ports, double width, float *table);
    /* Cycles of experiment @e. */
    float (*cycles)(const struct problem *p, const float *tables, size_t columns, uint32_t e);
    /* Weighted relative errors of all experiments with @form, in the order of its links, as if @fresh were its table. Returns their sum;
     * gives up as soon as it exceeds @limit (errors are incomplete then). */
    float (*form)(const struct problem *p, const float *tables, size_t columns, uint32_t form, const float *fresh, float limit, float *errors);
};
extern const struct score_engine score_portable;
#if defined(__x86_64__)
extern const struct score_engine score_avx2, score_avx512;
#endif
/* The best this CPU has; @name NULL or "portable", "avx2", "avx512" (NULL when this CPU lacks it). */
const struct score_engine *score_engine(const char *name);

/* Zeroed storage for @forms tables, aligned; free() it. */
float *score_tables(size_t forms, size_t columns);
/* Mean weighted relative error of @g on @p (D_avg of PMEvo 4.4). */
double score_genome(const struct problem *p, const struct genome *g);
/* Predicted cycles of every experiment of @p. */
void score_predict(const struct problem *p, const struct genome *g, float *cycles);

#endif
