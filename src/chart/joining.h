/* Cost of a form's candidate usage, given experiments with other forms. A search tries millions of
 * usages of one form, with one or two port sets, while the other forms' usages are constant. The
 * µops of the other forms within each union of port sets are therefore added up only once. The
 * cycles of a row are the maximum over non-empty unions Q of (number of µops within Q) / |Q|
 * (throughput/throughput.h). */
#ifndef PORTOLAN_CHART_JOINING_H
#define PORTOLAN_CHART_JOINING_H

#include "chart/residual.h"
#include "throughput/throughput.h"

/* Working storage of a search. One thread at a time. */
struct joiner;

/* Creates a joiner for up to @rows rows and @seconds candidate sets for the second µop. */
struct joiner *joining_new(size_t rows, size_t seconds);
void joining_free(struct joiner *j);

/* A row: an experiment of the form with other forms, whose µops are given. */
struct joining_row {
    const struct mass *others;
    size_t n;                  /* number of port sets in @others, at most JOINING_SETS; a set may
                                * occur several times */
    uint32_t own;              /* number of executions of the form, at least 1 */
    double slots;              /* cycles for the issue slots of the other forms */
    double slot;               /* cycles for one issue slot per execution of the form */
    double cycles;             /* measured cycles */
    /* limit of the cost if the measured time exceeds the port bound (chart/residual.h) */
    struct residual_limit limits;
};
#define JOINING_SETS 16

/* Removes all rows. @deviation_most: largest cost of one row. */
void joining_begin(struct joiner *j, double deviation_most);
void joining_add(struct joiner *j, const struct joining_row *row);
/* Sets the candidate port sets of the second µop. Call it after the last row was added. A set whose
 * joining_bound exceeds @limit must not be passed to joining_cost. */
void joining_seconds(struct joiner *j, const portset *sets, size_t n, double limit);
/* Sets the first µops of the form: @count on port set @set (0: none). Returns a lower bound of the
 * cost with any second µop. If the bound exceeds @limit, returns a value above @limit, which need
 * not be the bound, and does not set the µops. */
double joining_first(struct joiner *j, portset set, unsigned count, double limit);
/* Returns a lower bound of the cost with a second µop on candidate set @second and any first
 * µops. */
double joining_bound(const struct joiner *j, size_t second);
/* Returns the cost of all rows with the µops of joining_first and @slots slots. @second: index of
 * the candidate set of another µop; JOINING_NONE: no other µop. Returns INFINITY if the cost
 * exceeds @limit. The cost is a multiple of 2^-20, so the sum does not depend on the order of the
 * rows. */
#define JOINING_NONE SIZE_MAX
double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit);

/* Returns the cost of a row with @predicted and @measured cycles. */
double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit limits);

#endif
