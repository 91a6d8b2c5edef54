/* Places arrays for the streams of a loop. The loop can then run over any amount of memory. */
#ifndef PORTOLAN_ANALYSIS_LAYOUT_H
#define PORTOLAN_ANALYSIS_LAYOUT_H

#include "analysis/streams.h"
#include "model/arrays.h"

#define LAYOUT_SLACK (1 << 20)   /* bytes of an arena in addition to its arrays, at most */

/* Places arrays of @bytes in total. Walks get shares in proportion to their steps; gathers and
 * chases have separate regions (memory_region). Returns false with err if the loop accesses no
 * memory (ERR_DATA), has an unsupported access (ERR_DATA, with the instruction), or needs more than
 * @bytes (ERR_USAGE). Pure. */
bool layout_arrays(const struct insn *insns, const struct streams *s, uint64_t bytes,
                   struct arrays *out, struct err *err);

#endif
