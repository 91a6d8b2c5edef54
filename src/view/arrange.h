/* Sorts the rows of a table in small steps, which keeps the screen responsive with a million rows.
 * One thread. */
#ifndef PORTOLAN_VIEW_ARRANGE_H
#define PORTOLAN_VIEW_ARRANGE_H

#include "table/filter.h"
#include "view/table_source.h"

struct arrangement;

/* Begins to sort the rows of @source by column @sort (-1: unsorted), then by the @then_count
 * columns @then. Numbers in text compare by value (natural order). */
struct arrangement *arrange_begin(const struct table_source *source, const void *context, int sort,
                                  bool descending, const struct table_key *then,
                                  unsigned then_count);
void arrange_free(struct arrangement *a);
/* Sorts for about @steps work steps (base/steps.h), using the rows that match @filter. Returns
 * whether the sort is complete. All calls need the same arguments. */
bool arrange_go_on(struct arrangement *a, const struct table_source *source, const void *context,
                   const struct filter *filter, uint64_t steps);
/* Returns whether memory was exhausted; rows are then missing or unsorted. */
bool arrange_cut(const struct arrangement *a);
/* Returns the sorted rows of a complete sort; NULL if memory was exhausted. The caller frees them.
 * Sets *@count to the number of rows. */
size_t *arrange_take(struct arrangement *a, size_t *count);
/* Returns the completed fraction, 0 to 1. */
double arrange_done(const struct arrangement *a);

#endif
