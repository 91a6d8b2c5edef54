/* Arrays for the streams of a loop, so that it can be run over as much memory as one likes. */
#ifndef PORTOLAN_ANALYSIS_LAYOUT_H
#define PORTOLAN_ANALYSIS_LAYOUT_H

#include "analysis/streams.h"
#include "model/arrays.h"

#define LAYOUT_SLACK (1 << 20)   /* bytes at most that an arena needs besides the arrays */

/* Arrays of @bytes together: walks share them by their steps, gathers and chases have regions of
 * their own (memory_region). False with err when the loop reaches no memory (ERR_DATA), does so in
 * a way that is not understood (ERR_DATA, with the instruction), or needs more than @bytes
 * (ERR_USAGE). Pure. */
bool layout_arrays(const struct insn *insns, const struct streams *s, uint64_t bytes,
                   struct arrays *out, struct err *err);

#endif
