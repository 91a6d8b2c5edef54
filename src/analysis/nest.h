/* Inner loops of a loop. Machine code contains neither trip counts nor the bodies of called
 * functions. */
#ifndef PORTOLAN_ANALYSIS_NEST_H
#define PORTOLAN_ANALYSIS_NEST_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

typedef VEC(size_t) nest_loops;

/* Appends the loops of @k within @loop to the empty @out, sorted by position; an outer loop
 * precedes its inner ones. vec_done frees @out. Pure. */
void nest_within(const struct kernel *k, size_t loop, nest_loops *out);
/* Returns whether loop @inner lies strictly within @outer. Pure. */
bool nest_is_within(const struct kernel *k, size_t inner, size_t outer);
/* Appends the inner loops and called functions that the analysis of loop @loop excludes. Appends
 * nothing if there are none. */
void nest_note(const struct kernel *k, size_t loop, struct str *out);

/* Instructions in execution order. Shallow copies: their texts belong to the kernel. */
typedef VEC(struct insn) nest_insns;
/* Appends loop @loop of @k with each inner loop repeated. @copies has one number per loop of the
 * kernel. Returns false beyond @most instructions. Pure. */
bool nest_expand(const struct kernel *k, size_t loop, const size_t *copies, size_t most,
                 nest_insns *out);

#endif
