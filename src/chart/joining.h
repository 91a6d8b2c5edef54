/* Cost of a form's candidate usage for experiments with other forms: cycles of each row with one or
 * two sets of µops, and their deviation. A search tries millions of usages while the other forms'
 * µops are constant. So their sums within every union of port sets are computed once
 * (throughput/throughput.h: t = max over non-empty Q of mass(sets within Q) / |Q|). */
#ifndef PORTOLAN_CHART_JOINING_H
#define PORTOLAN_CHART_JOINING_H

#include "chart/residual.h"
#include "throughput/throughput.h"

/* Searches usages of joining forms. One thread at a time per joiner. */
struct joiner;

/* Creates storage for @rows rows and @seconds candidate sets of second µops. */
struct joiner *joining_new(size_t rows, size_t seconds);
void joining_free(struct joiner *j);

/* A row: an experiment with the µops of the other forms. */
struct joining_row {
    const struct mass *others;
    size_t n;                  /* number of sets, at most JOINING_SETS; sets may repeat */
    uint32_t own;              /* executions of the form, at least 1 */
    double slots;              /* issue slots of the other forms, in cycles */
    double slot;               /* cycles of one issue slot of all executions of the form */
    double cycles;             /* measured cycles */
    /* limit of the cost if the time exceeds the port bound (chart/residual.h) */
    struct residual_limit late;
};
#define JOINING_SETS 16

/* Removes all rows. @deviation_most: largest cost of one row. */
void joining_begin(struct joiner *j, double deviation_most);
void joining_add(struct joiner *j, const struct joining_row *row);
/* Sets the candidate sets of a second µop. Call it after all rows were added. */
void joining_seconds(struct joiner *j, const portset *sets, size_t n);
/* Sets the form's first µops: @count on @set (0: none). Returns a lower bound of the cost with any
 * second µop. */
double joining_first(struct joiner *j, portset set, unsigned count);
/* Returns a lower bound of the cost with second set number @second and any first µops. */
double joining_bound(const struct joiner *j, size_t second);
/* Returns the cost of all rows with the µops of joining_first, one µop of second set number @second
 * (JOINING_NONE: none), and @slots slots; INFINITY above @limit. It is a multiple of 2^-20, so the
 * sum does not depend on the order of the rows. */
#define JOINING_NONE SIZE_MAX
double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit);

/* Returns the cost of a row with @predicted cycles. */
double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit late);

#endif
