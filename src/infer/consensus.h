/* Agreement of near-optimal mappings. Few or noisy measurements have many explanations, each with
 * different errors elsewhere; the mean of their predictions is closer to the truth than any of
 * them. A mapping that is fitted to the measurements and to these means keeps most of that
 * (distillation). */
#ifndef PORTOLAN_INFER_CONSENSUS_H
#define PORTOLAN_INFER_CONSENSUS_H

#include "base/rng.h"
#include "infer/genome.h"

/* Keeps those of the @n mappings @members, individuals of @p with the best first, that the
 * measurements do not distinguish from the best; frees the others. Returns how many are left. A
 * refuted one is an unfinished search, not another explanation. */
unsigned consensus_members(const struct problem *p, struct genome **members, unsigned n);

/* The experiments of @p, and about three times as many random ones, of as many forms as those of @p
 * or one more, whose cycles are the mean of the predictions of the @n mappings @members.
 * @disagreement becomes the standard deviation of their predictions over the mean, averaged over
 * these experiments. NULL if @p has no experiment of several forms, or without memory for it. Same
 * forms in the same order; the caller frees. */
struct problem *consensus_problem(const struct problem *p, struct genome *const *members, size_t n,
                                  struct rng *rng, double *disagreement);

#endif
