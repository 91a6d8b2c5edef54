/* What a loop may have that no bound and no simulation counts: mispredicted branches, cache misses,
 * stores that a load finds, accesses that cross pages. */
#ifndef PORTOLAN_ANALYSIS_UNMODELLED_H
#define PORTOLAN_ANALYSIS_UNMODELLED_H

#include "analysis/deps.h"

enum unmodelled {
    UNMODELLED_BRANCHES, UNMODELLED_CROSSINGS, UNMODELLED_MISSES, UNMODELLED_FORWARDS,
    UNMODELLED_COUNT
};

/* Fills @out with what the block of @count instructions may have of each kind, in words that name
 * up to three instructions; NULL: nothing. The caller frees them. @d: of the same block
 * (deps_build). A branch counts when its outcome depends on what is loaded from elsewhere in each
 * iteration; an access when it moves and is a vector's that need not be aligned, or moves by other
 * than multiples of its size. Scalar data are taken to be aligned. A load may miss the first level
 * when its address depends on loaded data; it may find an earlier store when both have such
 * addresses. Any thread. */
void unmodelled_find(const struct insn *insns, size_t count, const struct deps *d,
                     char *out[UNMODELLED_COUNT]);

#endif
