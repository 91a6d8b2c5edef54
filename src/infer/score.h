/* Fast evaluation of genomes. Each form has a table with one lane per set of ports Q of the columns: the mass of its µops that fit only
 * into Q, over |Q|. Then cycles of an experiment = max over columns of the sum of its forms' tables (PMEvo eq. 1), whatever the usages
 * are. The lane of the empty set, which no µop fits, holds slots / width instead: the issue bound. */
#ifndef PORTOLAN_INFER_SCORE_H
#define PORTOLAN_INFER_SCORE_H

#include "infer/columns.h"
#include "infer/genome.h"

/* What is evaluated. A table takes @stride lanes, at least columns_lanes(columns->count); tables are aligned to 64 bytes. */
struct scoring {
    const struct problem *p;
    const struct columns *columns;
    const struct gene *genes;
    float *tables;
    size_t stride;
};

/* One compiled version; any thread. */
struct score_engine {
    const char *name;
    /* Fills a form's table, the lanes from the vector of @first on. */
    void (*table)(const struct gene *gene, const struct columns *columns, unsigned first, double width, float *table);
    /* Cycles of experiment @e. */
    float (*cycles)(const struct scoring *s, uint32_t e);
    /* Weighted relative errors of all experiments with @form, in the order of its links, as if @fresh were its table. The other forms'
     * tables hold the first @ready columns (a multiple of PROBLEM_LANES, or all); the rest is counted from their genes. Returns the sum;
     * gives up as soon as it exceeds @limit (errors are incomplete then). */
    float (*form)(const struct scoring *s, size_t ready, uint32_t form, const float *fresh, float limit, float *errors);
};
extern const struct score_engine score_portable;
#if defined(__x86_64__)
extern const struct score_engine score_avx2, score_avx512;
#endif
/* The best this CPU has; @name NULL or "portable", "avx2", "avx512" (NULL when this CPU lacks it). */
const struct score_engine *score_engine(const char *name);

/* Zeroed storage for @forms tables, aligned; free() it. */
float *score_tables(size_t forms, size_t stride);
/* Mean weighted relative error of @g on @p (D_avg of PMEvo 4.4). */
double score_genome(const struct problem *p, const struct genome *g);
/* Predicted cycles of every experiment of @p. */
void score_predict(const struct problem *p, const struct genome *g, float *cycles);

#endif
