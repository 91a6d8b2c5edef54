/* Effects that a loop may have and no bound or simulation counts: mispredicted branches, cache
 * misses, loads that find stores, accesses that cross pages. */
#ifndef PORTOLAN_ANALYSIS_UNMODELLED_H
#define PORTOLAN_ANALYSIS_UNMODELLED_H

#include "analysis/deps.h"

enum unmodelled {
    UNMODELLED_BRANCHES, UNMODELLED_CROSSINGS, UNMODELLED_MISSES, UNMODELLED_FORWARDS,
    UNMODELLED_COUNT
};

/* Fills @out with the possible effects of each kind in the block of @count instructions, in words
 * that name up to three instructions; NULL: none. The caller frees them. @d: of the same block
 * (deps_build). A branch counts when its outcome depends on data loaded from elsewhere in each
 * iteration. An access counts when it moves and is a vector's that need not be aligned, or moves by
 * other than multiples of its size. Scalar data are assumed to be aligned. A load may miss the
 * first level when its address depends on loaded data; it may find an earlier store when both have
 * such addresses. Any thread. */
void unmodelled_find(const struct insn *insns, size_t count, const struct deps *d,
                     char *out[UNMODELLED_COUNT]);

#endif
