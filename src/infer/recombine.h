/* A child of two genomes. */
#ifndef PORTOLAN_INFER_RECOMBINE_H
#define PORTOLAN_INFER_RECOMBINE_H

#include "base/rng.h"
#include "infer/genome.h"

/* Fills @child from @a, and for about half of @a's usages from @b, whose ports are first renamed to match @a's. Forms that share a usage
 * in @a change sides together, so that classes survive. */
void recombine(const struct genome *a, const struct genome *b, struct rng *rng, struct genome *child);

#endif
