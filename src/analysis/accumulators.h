/* Code that splits a sum over several registers. limit.c adds it to a reduction. Any thread. */
#ifndef PORTOLAN_ANALYSIS_ACCUMULATORS_H
#define PORTOLAN_ANALYSIS_ACCUMULATORS_H

#include "analysis/analysis.h"
#include "analysis/deps.h"

/* Splits the accumulator of @chain, a reduction in @d of the loop of @a, over up to @wanted
 * registers. The code zeroes them, unrolls the sum and adds them after the loop. Returns lines of
 * assembly, which the caller frees; NULL if such code is impossible. */
char *accumulators_split(const struct analysis *a, const struct deps *d,
                         const struct limit_chain *chain, unsigned wanted);

#endif
