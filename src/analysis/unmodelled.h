/* What a loop may have that no bound and no simulation counts: branches that depend on loaded data, accesses that cross pages. */
#ifndef PORTOLAN_ANALYSIS_UNMODELLED_H
#define PORTOLAN_ANALYSIS_UNMODELLED_H

#include "analysis/deps.h"

enum unmodelled { UNMODELLED_BRANCHES, UNMODELLED_CROSSINGS, UNMODELLED_COUNT };

/* Fills @out with what the block of @count instructions may have of each kind, in words that name up to three instructions; NULL: nothing. The caller frees them.
 * @d: of the same block (deps_build). A branch counts when its outcome depends on what is loaded from elsewhere in each iteration; an access when it moves and is
 * a vector's that need not be aligned, or moves by other than multiples of its size. Scalar data are taken to be aligned. Any thread. */
void unmodelled_find(const struct insn *insns, size_t count, const struct deps *d, char *out[UNMODELLED_COUNT]);

#endif
