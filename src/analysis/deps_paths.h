/* Cycles and paths through the dependencies of a block: loop-carried bound and critical path. */
#ifndef PORTOLAN_ANALYSIS_DEPS_PATHS_H
#define PORTOLAN_ANALYSIS_DEPS_PATHS_H

#include "analysis/deps.h"

/* Loop-carried bound in cycles per iteration (maximum cycle ratio), 0 without a cycle. Sets @lines
 * (count entries, may be NULL) for each instruction on the cycle. */
double deps_bound(struct deps *d, bool *on_cycle, size_t count);
/* Returns a cycle of the maximum ratio among the values of instructions outside @without (NULL:
 * all), as edges in order. Fills at most @most of @out and returns their number. *@cycles per
 * iteration, 0 without a cycle. */
size_t deps_cycle(struct deps *d, const bool *without, uint32_t *out, size_t most, double *cycles);
/* Longest path through one iteration, in cycles. Sets @on_path for each instruction on it. */
double deps_critical_path(const struct deps *d, bool *on_path, size_t count);

#endif
