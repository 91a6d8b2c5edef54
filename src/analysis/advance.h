/* How far a loop moves on in memory per iteration: code that was unrolled or vectorised goes
 * farther, and so does the work of several iterations of its source in one of its own. */
#ifndef PORTOLAN_ANALYSIS_ADVANCE_H
#define PORTOLAN_ANALYSIS_ADVANCE_H

#include "analysis/kernel.h"

enum advance_answer {
    ADVANCE_OTHER,     /* they are not of the same lines of one source: no statement */
    /* they are, but the step of one is unknown (as at -O0, where its variables are in memory), or
     * differs from array to array */
    ADVANCE_UNKNOWN,
    ADVANCE_KNOWN,
};

/* Iterations of the common source in one iteration of A and of B, 1 for the smaller: set if known.
 * Any thread. */
enum advance_answer advance_compare(const struct kernel *a, size_t loop_a, const struct kernel *b,
                                    size_t loop_b, uint64_t *times_a, uint64_t *times_b);

#endif
