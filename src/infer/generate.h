/* Experiments to measure: PMEvo 4.1 and random ones. All add pending rows to a table and skip
 * existing ones. */
#ifndef PORTOLAN_INFER_GENERATE_H
#define PORTOLAN_INFER_GENERATE_H

#include "base/rng.h"
#include "infer/congruence.h"
#include "infer/observable.h"
#include "model/experiments.h"

/* Each returns how many rows it added, and ends early when the thread's watch is over. Forms are
 * indices of t->forms; @forms lists n of them. */
/* One row per form. */
size_t generate_singletons(struct experiments *t, const uint32_t *forms, size_t n);
/* {a, b} for all pairs; where both were measured alone and one takes longer also {slow, ⌈t slow / t
 * quick⌉ * quick}. */
size_t generate_pairs(struct experiments *t, const uint32_t *forms, size_t n);
/* {a, b} of each form that congruence_undistinguished names and the first of its class. */
size_t generate_untold(struct experiments *t, const struct congruence *c);
/* Experiments that would show hidden ports of the forms of @list, one for each of @t's. */
size_t generate_hidden(struct experiments *t, const struct observable *list);
/* @count multisets of @size different forms, each once; fewer when there are not that many. */
size_t generate_random(struct experiments *t, const uint32_t *forms, size_t n, size_t count,
                       unsigned size, struct rng *rng);
/* @count random rows of those of @record that have a value and @size different forms, all of them
 * forms of @t, of the same names; fewer when there are not that many. */
size_t generate_recorded(struct experiments *t, const struct experiments *record, size_t count,
                         unsigned size, struct rng *rng);

#endif
