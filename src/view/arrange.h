/* Sorts the rows of a table, a piece at a time, so that a screen of a million rows stays
 * responsive. One thread. */
#ifndef PORTOLAN_VIEW_ARRANGE_H
#define PORTOLAN_VIEW_ARRANGE_H

#include "view/table.h"

struct arrangement;

/* Of the rows of @source by column @sort (-1: unsorted); rows that are equal there by the columns
 * @then, @then_count of them, in turn. Texts are in natural order: numbers in them count as
 * numbers. */
struct arrangement *arrange_begin(const struct table_source *source, const void *context, int sort,
                                  bool descending, const struct table_key *then,
                                  unsigned then_count);
void arrange_free(struct arrangement *a);
/* Continues for about @steps (base/steps.h), with the rows that match @filter. True when it is
 * complete. The arguments are the same in each call. */
bool arrange_go_on(struct arrangement *a, const struct table_source *source, const void *context,
                   const struct filter *filter, uint64_t steps);
/* Whether memory ran out, and rows are missing or out of order. */
bool arrange_cut(const struct arrangement *a);
/* The rows in order, to be freed, once it is complete; NULL, and none, when memory runs out. */
size_t *arrange_take(struct arrangement *a, size_t *count);
/* How much of it is done, 0 to 1. */
double arrange_done(const struct arrangement *a);

#endif
