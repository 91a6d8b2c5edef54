/* Time of an outer loop's iteration, whose inner loops run a given number of times in each. */
#ifndef PORTOLAN_SIMULATE_NESTED_H
#define PORTOLAN_SIMULATE_NESTED_H

#include "analysis/nest.h"
#include "model/machine.h"

#define NESTED_INSNS 20000         /* instructions at most that are simulated as one iteration */

struct nested_inner {
    size_t loop;                   /* of the kernel */
    double cycles;                 /* of one of its iterations in steady state, as nested.cycles */
};

struct nested {
    /* of one iteration of the outer loop, all trips included, if the end of each loop is predicted;
     * NaN: the loops are too large */
    double cycles;
    /* where none is foreseen: each costs a mispredicted branch (fact branch_miss), and nothing
     * overlaps from one loop to the next */
    double most;
    VEC(struct nested_inner) inner; /* directly within it, by place */
};

/* Loop @loop of @k on @m, each inner loop running @trips iterations (whole, from 1 on) per entry.
 * Copies of an inner loop are simulated within the outer one up to eight reorder buffers of
 * instructions, so that overlap between loops is included; each further trip takes the inner loop's
 * own time. Never less than the inner loops take of the front end and of ports. nested_done frees
 * @out. Any thread; borrows @k and @m. Milliseconds for some hundred instructions. */
void nested_time(const struct kernel *k, size_t loop, const struct machine *m, double trips,
                 struct nested *out);
void nested_done(struct nested *n);

#endif
