/* Predicts the time of one iteration of an outer loop, for known trip counts of its inner loops. */
#ifndef PORTOLAN_SIMULATE_NESTED_H
#define PORTOLAN_SIMULATE_NESTED_H

#include "analysis/nest.h"
#include "model/machine.h"

/* maximum number of instructions that are simulated as one iteration */
#define NESTED_INSNS 20000

struct nested_inner {
    size_t loop;                   /* index of the loop in the kernel */
    double cycles;                 /* cycles per iteration in steady state, like nested.cycles */
    /* whether the longest path of the outer loop does not execute this loop */
    bool skipped;
};

struct nested {
    /* cycles per outer iteration, including all trips of inner loops, if all loop exits are
     * predicted correctly; NaN if the loops are too large */
    double cycles;
    /* cycles if all loop exits are mispredicted: each costs the fact branch_miss, and loops do not
     * overlap */
    double most;
    VEC(struct nested_inner) inner; /* direct inner loops, sorted by position */
};

/* Predicts loop @loop of @k on @m with @trips iterations (an integer, at least 1) of each inner
 * loop. Each iteration of a loop with several arms takes the longest path (loop_code.h). To include
 * the overlap between loops, simulates copies of the inner loops within the outer loop. Their
 * instructions fill up to eight reorder buffers. Each further trip adds the inner loop's cycles per
 * iteration. The result is at least the sum of the inner loops' bounds, except those of
 * dependences. nested_done frees @out. Borrows @k and @m. Any thread. */
void nested_time(const struct kernel *k, size_t loop, const struct machine *m, double trips,
                 struct nested *out);
void nested_done(struct nested *n);

#endif
