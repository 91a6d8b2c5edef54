/* Generates experiments: those of PMEvo 4.1 and random ones. All functions add pending rows to a
 * table, and omit rows that exist. */
#ifndef PORTOLAN_INFER_GENERATE_H
#define PORTOLAN_INFER_GENERATE_H

#include "base/rng.h"
#include "infer/congruence.h"
#include "infer/observable.h"
#include "model/experiments.h"

/* Each function below returns the number of added rows, and ends early if cancelled. @forms: @n
 * indices into t->forms. */
/* Adds one row with one execution for each form. */
size_t generate_singletons(struct experiments *t, const uint32_t *forms, size_t n);
/* Adds {a, b} for all pairs. If both times in isolation are known and differ, also adds one slow
 * and ⌈t slow / t quick⌉ quick executions. Omits quotients above 1000. */
size_t generate_pairs(struct experiments *t, const uint32_t *forms, size_t n);
/* Adds {a, b} for each form a that congruence_undistinguished selects and the first form b of its
 * class. */
size_t generate_indistinct(struct experiments *t, const struct congruence *c);
/* Adds experiments that would reveal hidden ports of the forms. @list: one entry per form of @t. */
size_t generate_hidden(struct experiments *t, const struct observable *list);
/* Adds @count random sets of @size different forms, or fewer if draws rarely give a new set. */
size_t generate_random(struct experiments *t, const uint32_t *forms, size_t n, size_t count,
                       unsigned size, struct rng *rng);
/* Adds @count random measured rows of @record, or all of them if there are fewer. The rows have
 * @size different forms, all of which @t has by name. */
size_t generate_recorded(struct experiments *t, const struct experiments *record, size_t count,
                         unsigned size, struct rng *rng);

#endif
