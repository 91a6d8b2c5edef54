/* Cost of a form that joins others, by measured times: cycles of each row with one or two more
 * kinds of µops, and their deviation. Millions of ways to join are tried while the others' µops
 * stay the same. So their sums within every union of sets are computed once
 * (throughput/throughput.h: t = max over non-empty Q of mass(sets within Q) / |Q|). */
#ifndef PORTOLAN_CHART_JOINING_H
#define PORTOLAN_CHART_JOINING_H

#include "chart/residual.h"
#include "throughput/throughput.h"

/* One thread at a time. */
struct joiner;

/* Creates storage for @rows rows and second µops on @seconds sets. */
struct joiner *joining_new(size_t rows, size_t seconds);
void joining_free(struct joiner *j);

/* Adds a row with the masses of its µops without the form. */
struct joining_row {
    const struct mass *others;
    size_t n;                  /* number of sets, at most JOINING_SETS; they may repeat */
    uint32_t own;              /* executions of the form, > 0 */
    double slots;              /* issue slots of the others, cycles */
    double slot;               /* cycles of one slot of each execution of the form */
    double cycles;             /* measured */
    /* largest cost if the time is late (chart/residual.h) */
    struct residual_limit late;
};
#define JOINING_SETS 16

/* Removes all rows; a row costs at most @deviation_most. */
void joining_begin(struct joiner *j, double deviation_most);
void joining_add(struct joiner *j, const struct joining_row *row);
/* Sets the candidate sets of a second µop, after all rows. */
void joining_seconds(struct joiner *j, const portset *sets, size_t n);
/* Gives the form @count µops of @set (0: none). Returns a lower bound of the cost with any second
 * µop. */
double joining_first(struct joiner *j, portset set, unsigned count);
/* Returns that bound for second set number @second, with any first µop. */
double joining_bound(const struct joiner *j, size_t second);
/* Cost of all rows with the µops of joining_first, one of second set number @second (JOINING_NONE:
 * none), and @slots slots; INFINITY above @limit. A multiple of 2^-20, so that sums do not depend
 * on their order. */
#define JOINING_NONE SIZE_MAX
double joining_cost(struct joiner *j, size_t second, unsigned slots, double limit);

/* Cost of a row with @predicted cycles. */
double joining_price(double predicted, double measured, double deviation_most,
                     struct residual_limit late);

#endif
