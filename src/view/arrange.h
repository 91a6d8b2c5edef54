/* Sorts the rows of a table incrementally, so that the screen stays responsive with a million rows.
 * One thread. */
#ifndef PORTOLAN_VIEW_ARRANGE_H
#define PORTOLAN_VIEW_ARRANGE_H

#include "table/filter.h"
#include "view/table_source.h"

struct arrangement;

/* Begins sorting the rows of @source by column @sort (-1: unsorted), then by the @then_count
 * columns @then. Texts are in natural order: numbers in them compare as numbers. */
struct arrangement *arrange_begin(const struct table_source *source, const void *context, int sort,
                                  bool descending, const struct table_key *then,
                                  unsigned then_count);
void arrange_free(struct arrangement *a);
/* Continues for about @steps (base/steps.h) with the rows that match @filter. Returns true when
 * complete. The arguments must be the same in each call. */
bool arrange_go_on(struct arrangement *a, const struct table_source *source, const void *context,
                   const struct filter *filter, uint64_t steps);
/* Returns whether memory ran out, so that rows are missing or out of order. */
bool arrange_cut(const struct arrangement *a);
/* Returns the sorted rows after completion; the caller frees. NULL when memory runs out. */
size_t *arrange_take(struct arrangement *a, size_t *count);
/* Completed share, 0 to 1. */
double arrange_done(const struct arrangement *a);

#endif
