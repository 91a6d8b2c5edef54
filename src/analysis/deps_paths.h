/* Cycles and paths through the dependencies of a block: the loop-carried bound, the critical
 * path. */
#ifndef PORTOLAN_ANALYSIS_DEPS_PATHS_H
#define PORTOLAN_ANALYSIS_DEPS_PATHS_H

#include "analysis/deps.h"

/* Cycles per iteration of the loop-carried bound (maximum cycle ratio), 0 without a cycle. @lines
 * (count entries, may be NULL) gets true for each instruction on the cycle. */
double deps_bound(struct deps *d, bool *on_cycle, size_t count);
/* Edges, in order, of a cycle of the maximum ratio among the values of instructions outside
 * @without (NULL: all); *@cycles per iteration, 0 without a cycle. Fills at most @most of @out and
 * returns their number. */
size_t deps_cycle(struct deps *d, const bool *without, uint32_t *out, size_t most, double *cycles);
/* Longest path through one iteration, in cycles: from its first values to its last. @on_path as
 * above. */
double deps_critical_path(const struct deps *d, bool *on_path, size_t count);

#endif
