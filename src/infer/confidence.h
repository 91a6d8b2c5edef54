/* How sure a mapping's usages are: how far other near-optimal mappings agree. */
#ifndef PORTOLAN_INFER_CONFIDENCE_H
#define PORTOLAN_INFER_CONFIDENCE_H

#include "infer/genome.h"

#define CONFIDENCE_COST 1.05   /* genomes up to this multiple of the best one's cost count */

/* Per form, from 0 to 1: mean overlap of its usage in @genomes[0] with the others', whose ports are
 * renamed to match first. Overlap = µops in common (of the same set) over the larger number of
 * µops. NaN for all when no other genome is near-optimal. */
void confidence_of(struct genome *const *genomes, size_t n, double *out);

#endif
