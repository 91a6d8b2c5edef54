/* Compares the distances by which two loops advance in memory per iteration. Infers the source
 * iterations per iteration of an unrolled or vectorised loop. */
#ifndef PORTOLAN_ANALYSIS_ADVANCE_H
#define PORTOLAN_ANALYSIS_ADVANCE_H

#include "analysis/kernel.h"

enum advance_answer {
    ADVANCE_OTHER,     /* no result: the loops are not compiled from the same source lines */
    /* a stride is unknown (as at -O0, where variables are in memory), the factor differs between
     * arrays, or the factor exceeds TIMES_MOST */
    ADVANCE_UNKNOWN,
    ADVANCE_KNOWN,
};

/* Sets *@times_a and *@times_b to the source iterations per iteration of loops A and B, if the
 * answer is ADVANCE_KNOWN. The smaller number is 1. Any thread. */
enum advance_answer advance_compare(const struct kernel *a, size_t loop_a, const struct kernel *b,
                                    size_t loop_b, uint64_t *times_a, uint64_t *times_b);

#endif
