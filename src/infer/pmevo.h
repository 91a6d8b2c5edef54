/* The evolutionary algorithm of PMEvo (Ritter & Hack, PLDI 2020, section 4.4), for comparison and
 * reproduction. It starts from random mappings, and has binary recombination per form and no
 * mutation. The best p of 2p individuals are selected by D_avg and volume, which are scaled in each
 * generation. At the end, greedy hill climbing improves the counts. */
#ifndef PORTOLAN_INFER_PMEVO_H
#define PORTOLAN_INFER_PMEVO_H

#include "infer/genome.h"

struct pmevo;

/* Creates a population. If @tolerant is true, errors below 10 % count as 0 and objectives are
 * scaled to [1, 1000], as in the authors' program. */
struct pmevo *pmevo_new(const struct problem *p, unsigned ports, unsigned population,
                        double volume_weight, bool tolerant, uint64_t seed);
void pmevo_free(struct pmevo *m);
/* Runs one generation: p children, then selection. Returns false when it has converged (all
 * individuals equally fit). Adds the number of evaluated genomes to *@evaluations. */
bool pmevo_generation(struct pmevo *m, uint64_t *evaluations);
/* Changes one count of individual @index at a time, until no change improves its fitness, or
 * @go_on (may be NULL) returns false. */
void pmevo_climb(struct pmevo *m, size_t index, bool (*go_on)(void *), void *state,
                 uint64_t *evaluations);
size_t pmevo_population(const struct pmevo *m);
/* Returns the individual with rank @index, fittest first, with d_avg and cost (its fitness). Valid
 * until the next generation. */
const struct genome *pmevo_individual(const struct pmevo *m, size_t index);

#endif
