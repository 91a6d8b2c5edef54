/* Inner loops of a loop. Machine code shows neither their trip counts nor the bodies of called
 * functions. */
#ifndef PORTOLAN_ANALYSIS_NEST_H
#define PORTOLAN_ANALYSIS_NEST_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

typedef VEC(size_t) nest_loops;

/* Appends the loops of @k within @loop to the empty @out, sorted by position, outer loops before
 * their inner loops. vec_done frees @out. Pure. */
void nest_within(const struct kernel *k, size_t loop, nest_loops *out);
/* Returns whether loop @outer contains loop @inner. Returns false if @inner is a marked region.
 * Pure. */
bool nest_is_within(const struct kernel *k, size_t inner, size_t outer);
/* Appends a note on inner loops, of which the analysis of loop @loop assumes one iteration. Also
 * notes instructions outside the loop and called functions, which the analysis excludes. Appends
 * nothing if there are none. */
void nest_note(const struct kernel *k, size_t loop, struct str *out);

/* Instructions in execution order: shallow copies, whose text belongs to the kernel */
typedef VEC(struct insn) nest_insns;
/* Appends the executed instructions of loop @loop of @k with each inner loop repeated. For each
 * loop of the kernel, @copies is the number of repetitions. @executed: executed instructions of
 * each loop (loop_code_executed); NULL: all. Returns false if there are more than @most
 * instructions. Pure. */
bool nest_expand(const struct kernel *k, size_t loop, struct insn *const *executed,
                 const size_t *copies, size_t most, nest_insns *out);

#endif
