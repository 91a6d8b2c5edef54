/* Slots at rename: cycles per iteration. */
#ifndef PORTOLAN_ANALYSIS_ISSUE_H
#define PORTOLAN_ANALYSIS_ISSUE_H

#include "analysis/cost.h"

/* Cycles per iteration in the steady state, NaN without the fact issue_width. Where pairs that split must be among the first of their group (fact
 * unlaminate_first), groups are followed until one begins as an earlier one did; so they are where an instruction
 * begins one (group_first), or does not take the last slot of one or parts of two (group_not_last, group_whole); otherwise all slots are filled. At least what
 * the µops of dispatch_ports and eliminated moves take. */
double issue_cycles(const struct core *c, const struct insn *insns, const struct costs *costs);
/* µops of @row that the fact dispatch_per_cycle limits. */
uint32_t issue_limited(const struct core *c, const struct costs *costs, const struct cost *row);
/* Slots of its group that must be left for @row to begin in it; 1 where any will do. @c knows its issue_width. */
uint32_t issue_room(const struct core *c, const struct cost *row);

#endif
