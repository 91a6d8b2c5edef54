/* Compares how far two loops advance in memory per iteration, to find iterations of the source per
 * iteration of an unrolled or vectorised loop. */
#ifndef PORTOLAN_ANALYSIS_ADVANCE_H
#define PORTOLAN_ANALYSIS_ADVANCE_H

#include "analysis/kernel.h"

enum advance_answer {
    ADVANCE_OTHER,     /* not compiled from the same source lines: no result */
    /* a step is unknown (as at -O0, where variables are in memory) or differs between arrays */
    ADVANCE_UNKNOWN,
    ADVANCE_KNOWN,
};

/* Computes source iterations per iteration of A and B, with 1 for the smaller, if known. Any
 * thread. */
enum advance_answer advance_compare(const struct kernel *a, size_t loop_a, const struct kernel *b,
                                    size_t loop_b, uint64_t *times_a, uint64_t *times_b);

#endif
