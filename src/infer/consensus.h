/* Consensus of near-optimal mappings. Few or noisy measurements have many explanations that predict
 * other experiments differently. The mean of their predictions is more accurate than each of them.
 * A mapping fitted to the measurements and to these means is almost as accurate (distillation). */
#ifndef PORTOLAN_INFER_CONSENSUS_H
#define PORTOLAN_INFER_CONSENSUS_H

#include "base/rng.h"
#include "infer/genome.h"

/* Keeps those of the @n mappings @members, best first, that the measurements of @p do not
 * distinguish from the best, and frees all others. Returns the number kept. A mapping that
 * measurements distinguish from the best results from an unfinished search. */
unsigned consensus_members(const struct problem *p, struct genome **members, unsigned n);

/* Makes a problem of the experiments of @p and about three times as many random ones, of equal size
 * or one form more. The cycles of the random experiments are the mean predictions of the @n
 * mappings @members. @disagreement: mean relative standard deviation of these predictions. NULL if
 * @p has no experiment of several forms, or if memory runs out. Same forms in the same order. The
 * caller frees. */
struct problem *consensus_problem(const struct problem *p, struct genome *const *members, size_t n,
                                  struct rng *rng, double *disagreement);

#endif
