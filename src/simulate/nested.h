/* Time of an outer loop's iteration with given trip counts of its inner loops. */
#ifndef PORTOLAN_SIMULATE_NESTED_H
#define PORTOLAN_SIMULATE_NESTED_H

#include "analysis/nest.h"
#include "model/machine.h"

#define NESTED_INSNS 20000         /* instructions simulated as one iteration, at most */

struct nested_inner {
    size_t loop;                   /* of the kernel */
    double cycles;                 /* per iteration in steady state, as nested.cycles */
};

struct nested {
    /* per outer iteration, including all trips, with predicted loop ends; NaN: the loops are too
     * large */
    double cycles;
    /* with unpredicted ends: each costs a misprediction (fact branch_miss) without overlap between
     * loops */
    double most;
    VEC(struct nested_inner) inner; /* direct inner loops, by position */
};

/* Predicts loop @loop of @k on @m with @trips iterations (an integer, at least 1) of each inner
 * loop. Copies of an inner loop are simulated within the outer one up to eight reorder buffers of
 * instructions, so that overlap between loops is included; further trips take the inner loop's own
 * time. At least the inner loops' bounds by front end and ports. nested_done frees @out. Any
 * thread; borrows @k and @m. Takes milliseconds for some hundred instructions. */
void nested_time(const struct kernel *k, size_t loop, const struct machine *m, double trips,
                 struct nested *out);
void nested_done(struct nested *n);

#endif
