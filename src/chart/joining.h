/* Cost of a form that joins others, by the measured times: cycles of each row with one or two kinds
 * of µops more, and their deviation. The others' µops in a row do not change while millions of ways
 * to join are tried, so their sums within every union of their sets are computed once
 * (throughput/throughput.h: t = max over non-empty Q of mass(sets within Q) / |Q|). */
#ifndef PORTOLAN_CHART_JOINING_H
#define PORTOLAN_CHART_JOINING_H

#include "chart/residual.h"
#include "throughput/throughput.h"

/* One thread at a time. */
struct joiner;

/* For up to @rows rows, and second µops of up to @seconds sets. */
struct joiner *joining_new(size_t rows, size_t seconds);
void joining_free(struct joiner *j);

/* One row with the masses of its µops without the form. */
struct joining_row {
    const struct mass *others;
    size_t n;                  /* JOINING_SETS at most; sets may repeat */
    uint32_t own;              /* executions of the form, > 0 */
    double slots;              /* issue slots of the others, cycles */
    double slot;               /* of one slot of each execution of the form, cycles */
    double cycles;             /* measured */
    /* the most that its time may cost if late (chart/residual.h) */
    struct residual_limit late;
};
#define JOINING_SETS 16

/* Starts without rows; a row costs @deviation_most at most. */
void joining_begin(struct joiner *j, double deviation_most);
void joining_add(struct joiner *j, const struct joining_row *row);
/* The sets that a second µop may have, once all rows are there. */
void joining_seconds(struct joiner *j, const portset *sets, size_t n);
/* The form executes @count µops of @set (0 of none). Returns a lower bound of the cost with any
 * second µop. */
double joining_first(struct joiner *j, portset set, unsigned count);
/* The same bound of second set number @second, whatever the first is. */
double joining_bound(const struct joiner *j, size_t second);
/* Cost of all rows with the µops of joining_first, one of second set number @second unless that is
 * JOINING_NONE, and @slots slots; INFINITY where it passes @limit. A multiple of 2^-20, so that
 * sums do not depend on an order. */
#define JOINING_NONE SIZE_MAX
double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit);

/* Cost of a row with @predicted cycles. */
double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit late);

#endif
