/* Effects that bounds and simulation do not model: mispredicted branches, cache misses, store
 * forwarding between unknown addresses, accesses across pages, non-temporal stores, changes of the
 * floating-point control word, masked stores, SSE instructions among VEX instructions */
#ifndef PORTOLAN_ANALYSIS_UNMODELLED_H
#define PORTOLAN_ANALYSIS_UNMODELLED_H

#include "analysis/deps.h"

enum unmodelled {
    UNMODELLED_BRANCHES, UNMODELLED_CROSSINGS, UNMODELLED_MISSES, UNMODELLED_FORWARDS,
    UNMODELLED_STREAMS, UNMODELLED_MODES, UNMODELLED_MASKED, UNMODELLED_MIXED, UNMODELLED_COUNT
};

/* Fills @out with one sentence per kind of effect that the @count instructions may have; NULL:
 * none. A sentence names up to three instructions. The caller frees the sentences. @d: the
 * dependences of the block (deps_build). Branches are included if they depend on data loaded in
 * each iteration. Accesses with a changing address are included if they may be unaligned: vectors,
 * and strides that are not a multiple of the size. Scalar data are assumed to be aligned. Loads
 * with a loaded address are included, because they may miss the first-level cache or read a store
 * to a loaded address. Returns whether the address of a load or store depends on loaded data. Any
 * thread. */
bool unmodelled_find(const struct insn *insns, size_t count, const struct deps *d,
                     char *out[UNMODELLED_COUNT]);

#endif
