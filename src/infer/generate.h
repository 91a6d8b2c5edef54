/* Generates experiments: PMEvo 4.1 and random ones. All add pending rows to a table and skip
 * existing ones. */
#ifndef PORTOLAN_INFER_GENERATE_H
#define PORTOLAN_INFER_GENERATE_H

#include "base/rng.h"
#include "infer/congruence.h"
#include "infer/observable.h"
#include "model/experiments.h"

/* Each returns the number of rows added, and ends early when cancelled. Forms are indices of
 * t->forms; @forms lists n of them. */
/* One row per form. */
size_t generate_singletons(struct experiments *t, const uint32_t *forms, size_t n);
/* {a, b} for all pairs; if both were measured alone and one is slower also {slow, ⌈t slow / t
 * quick⌉ * quick}. */
size_t generate_pairs(struct experiments *t, const uint32_t *forms, size_t n);
/* {a, b} of each form that congruence_undistinguished selects and the first of its class. */
size_t generate_untold(struct experiments *t, const struct congruence *c);
/* Experiments that would show hidden ports of the forms of @list, one per form of @t. */
size_t generate_hidden(struct experiments *t, const struct observable *list);
/* @count different random multisets of @size forms; fewer when there are not that many. */
size_t generate_random(struct experiments *t, const uint32_t *forms, size_t n, size_t count,
                       unsigned size, struct rng *rng);
/* @count random rows of @record that have a value and @size different forms, all of which @t has by
 * name; fewer when there are not that many. */
size_t generate_recorded(struct experiments *t, const struct experiments *record, size_t count,
                         unsigned size, struct rng *rng);

#endif
