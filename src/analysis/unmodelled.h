/* Effects that neither bounds nor simulation count: mispredicted branches, cache misses, unforeseen
 * store forwarding, accesses across pages. */
#ifndef PORTOLAN_ANALYSIS_UNMODELLED_H
#define PORTOLAN_ANALYSIS_UNMODELLED_H

#include "analysis/deps.h"

enum unmodelled {
    UNMODELLED_BRANCHES, UNMODELLED_CROSSINGS, UNMODELLED_MISSES, UNMODELLED_FORWARDS,
    UNMODELLED_COUNT
};

/* Fills @out with a sentence per kind of possible effect in the @count instructions, naming up to
 * three; NULL: none. The caller frees them. @d: of the same block (deps_build). Branches count when
 * they depend on data loaded in each iteration. Moving accesses count when they may be unaligned:
 * vectors, and steps that are no multiple of the size. Scalar data are assumed to be aligned. A
 * load with a loaded address may miss the first level; it may also read an earlier store of that
 * kind. Returns whether an address, also of a store, depends on loaded data. Any thread. */
bool unmodelled_find(const struct insn *insns, size_t count, const struct deps *d,
                     char *out[UNMODELLED_COUNT]);

#endif
