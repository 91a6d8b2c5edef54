/* Confidence of a mapping's usages: agreement with other near-optimal mappings. */
#ifndef PORTOLAN_INFER_CONFIDENCE_H
#define PORTOLAN_INFER_CONFIDENCE_H

#include "infer/genome.h"

#define CONFIDENCE_COST 1.05   /* multiple of the best cost within which genomes count */

/* Per form, 0 to 1: mean overlap of its usage in @genomes[0] with the others', after aligning
 * ports. Overlap = common µops (of the same set) over the larger number of µops. NaN for all
 * without another near-optimal genome. */
void confidence_of(struct genome *const *genomes, size_t n, double *out);

#endif
