/* Loops in execution order, iteration by iteration: through inner loops and called functions. A
 * function's code, and code around a short loop, has chains that only the code before and after can
 * hide, within reach of the reorder buffer. So the walk of whole iterations is simulated, and each
 * instruction costs the cycles until it retires. */
#ifndef PORTOLAN_PROGRAM_TURNS_H
#define PORTOLAN_PROGRAM_TURNS_H

#include "analysis/bounds.h"
#include "program/code.h"
#include "program/forwards.h"
#include "program/sharing.h"

/* Per instruction of a unit: cycles of all its executions in walks, and how many these are. */
struct turns_unit { double *cycles, *covered; };

struct turns {
    struct turns_unit *units;
    /* per block of the program, its calls of functions whose code is known: the same */
    double *calls, *called;
};

/* The walks at @run, which depend on no machine: of at most two thousand instructions, those of the
 * library's functions counted, whose code is at least a small share of all that were executed.
 * Borrow @c's code. Any thread. */
struct turns_walks;
struct turns_walks *turns_walks_new(const struct program_code *c, const struct program_run *run);
void turns_walks_free(struct turns_walks *w);
/* Their times on the machine of @work with @forwards, those of the run; code in no loop is not
 * covered. turns_done frees. Any thread. */
void turns_time(const struct program_code *c, const struct turns_walks *walks,
                struct code_forwards *forwards, struct block_work *work,
                const struct core_share *share, struct turns *out);
void turns_done(const struct program_code *c, struct turns *t);

#endif
