/* Consensus of near-optimal mappings. Many mappings explain few or noisy measurements, but predict
 * other experiments differently. The mean of their predictions is more accurate than the
 * predictions of each mapping. A mapping fitted to the measurements and these means is almost as
 * accurate as the means (distillation). */
#ifndef PORTOLAN_INFER_CONSENSUS_H
#define PORTOLAN_INFER_CONSENSUS_H

#include "base/rng.h"
#include "infer/genome.h"

/* Selects those of the @n mappings @members, best first, that the measurements of @p do not
 * distinguish from the best mapping. Frees the other mappings, whose searches ended too early.
 * Returns the number of selected mappings. */
unsigned consensus_members(const struct problem *p, struct genome **members, unsigned n);

/* Makes a problem of the experiments of @p and of random ones: three per experiment of several
 * forms, at least ten per form, and at most 4000 in total. Each random experiment has as many forms
 * as a measured one, or one form more. The cycles of the random ones are the mean predictions of
 * the @n mappings @members. Sets *@disagreement to the mean relative standard deviation of these
 * predictions. The result has the forms of @p in the same order. Returns NULL if @p has no
 * experiment of several forms, or if memory is exhausted. The caller frees the result. */
struct problem *consensus_problem(const struct problem *p, struct genome *const *members, size_t n,
                                  struct rng *rng, double *disagreement);

#endif
