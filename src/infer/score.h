/* How well a genome explains the experiments. */
#ifndef PORTOLAN_INFER_SCORE_H
#define PORTOLAN_INFER_SCORE_H

#include "infer/genome.h"

/* Mean weighted relative error of @g on @p (D_avg of PMEvo 4.4). */
double score_genome(const struct problem *p, const struct genome *g);
/* Predicted cycles of every experiment of @p. */
void score_predict(const struct problem *p, const struct genome *g, float *cycles);

#endif
