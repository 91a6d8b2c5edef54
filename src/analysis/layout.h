/* Places arrays for the streams of a loop, so that it can run over any amount of memory. */
#ifndef PORTOLAN_ANALYSIS_LAYOUT_H
#define PORTOLAN_ANALYSIS_LAYOUT_H

#include "analysis/streams.h"
#include "model/arrays.h"

#define LAYOUT_SLACK (1 << 20)   /* largest overhead of an arena in bytes besides the arrays */

/* Places arrays of @bytes in total. Walks get shares by their steps; gathers and chases have
 * regions of their own (memory_region). False with err when the loop accesses no memory (ERR_DATA),
 * has an access that is not understood (ERR_DATA, with the instruction), or needs more than @bytes
 * (ERR_USAGE). Pure. */
bool layout_arrays(const struct insn *insns, const struct streams *s, uint64_t bytes,
                   struct arrays *out, struct err *err);

#endif
