/* The rows of a table of experiments, indexed by their forms and counts. */
#ifndef PORTOLAN_INFER_ROW_INDEX_H
#define PORTOLAN_INFER_ROW_INDEX_H

#include "base/index.h"
#include "model/experiments.h"

struct row_index {
    const struct experiments *t;   /* borrowed */
    struct index index;
};

/* Of the rows that @t has now, the first of equal ones; ends early when the thread's watch is
 * over. */
struct row_index row_index_new(const struct experiments *t);
void row_index_done(struct row_index *x);
/* The row of these @n terms, sorted by form, each form once; INDEX_NONE when there is none. */
uint32_t row_index_find(const struct row_index *x, const struct flat_term *terms, size_t n);
/* @row, whose terms are found in no other row, is found from now on. */
void row_index_add(struct row_index *x, uint32_t row);

#endif
