/* Loops within a loop. The code has neither their trip counts nor the bodies of called
 * functions. */
#ifndef PORTOLAN_ANALYSIS_NEST_H
#define PORTOLAN_ANALYSIS_NEST_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

typedef VEC(size_t) nest_loops;

/* Adds the loops of @k within @loop to the empty @out, by place: an outer one before those in it.
 * vec_done frees it. Pure. */
void nest_within(const struct kernel *k, size_t loop, nest_loops *out);
/* Whether loop @inner lies within @outer, and is not it. Pure. */
bool nest_is_within(const struct kernel *k, size_t inner, size_t outer);
/* Appends the parts that the analysis of loop @loop of @k leaves open: inner loops, and called
 * functions. Nothing if there are none. */
void nest_note(const struct kernel *k, size_t loop, struct str *out);

/* Instructions in the order of execution; shallow copies, which live no longer than their
 * kernel. */
typedef VEC(struct insn) nest_insns;
/* Appends loop @loop of @k, each loop within it @copies times (one number for each loop of the
 * kernel); no more than @most instructions in all: false. Pure. */
bool nest_expand(const struct kernel *k, size_t loop, const size_t *copies, size_t most,
                 nest_insns *out);

#endif
