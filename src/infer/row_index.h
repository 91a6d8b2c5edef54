/* Index of a table's rows by their terms. */
#ifndef PORTOLAN_INFER_ROW_INDEX_H
#define PORTOLAN_INFER_ROW_INDEX_H

#include "base/index.h"
#include "model/experiments.h"

struct row_index {
    const struct experiments *t;   /* the indexed table, borrowed */
    struct index index;
};

/* Indexes the rows of @t. If rows are equal, indexes the first one. Ends early if cancelled. */
struct row_index row_index_new(const struct experiments *t);
void row_index_done(struct row_index *x);
/* Returns the row with these @n terms, sorted by form without duplicates, or INDEX_NONE. */
uint32_t row_index_find(const struct row_index *x, const struct flat_term *terms, size_t n);
/* Adds @row, whose terms must not be in the index. */
void row_index_add(struct row_index *x, uint32_t row);

#endif
