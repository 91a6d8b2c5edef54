/* Simulates loops in execution order, through inner loops and called functions. The simulated
 * sequence has whole iterations. Chains of a function, or of code around a short loop, overlap only
 * within the reorder buffer. The cost of an instruction is the number of cycles from the previous
 * retirement to its own. */
#ifndef PORTOLAN_PROGRAM_TURNS_H
#define PORTOLAN_PROGRAM_TURNS_H

#include "analysis/bounds.h"
#include "program/code.h"
#include "program/forwards.h"
#include "program/sharing.h"

/* Per instruction of a unit: @cycles of all its executions in walks, and the number of these
 * executions (@covered) */
struct turns_unit { double *cycles, *covered; };

struct turns {
    struct turns_unit *units;
    /* per block of the program: cycles and number of its calls of functions with known code */
    double *calls, *called;
};

/* Finds the walks at @run, which do not depend on a machine. A walk has at most two thousand
 * instructions, including library functions, and at least a small share of all executed
 * instructions. Walks borrow the code of @c. */
struct turns_walks;
struct turns_walks *turns_walks_new(const struct program_code *c, const struct program_run *run);
void turns_walks_free(struct turns_walks *w);
/* Simulates the walks on the machine of @work, with @forwards of the same run. No walk may contain
 * code outside loops. turns_done frees the result. */
void turns_time(const struct program_code *c, const struct turns_walks *walks,
                struct code_forwards *forwards, struct block_work *work,
                const struct core_share *share, struct turns *out);
void turns_done(const struct program_code *c, struct turns *t);

#endif
