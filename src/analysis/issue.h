/* Bound of rename in cycles per iteration, from the issue slots and from other limits */
#ifndef PORTOLAN_ANALYSIS_ISSUE_H
#define PORTOLAN_ANALYSIS_ISSUE_H

#include "analysis/cost.h"

/* Limits of rename: slots, or µops of one kind per cycle (facts dispatch_limits,
 * eliminate_per_cycle, eliminate_zero_per_cycle, rename_vectors) */
enum issue_kind { ISSUE_SLOTS, ISSUE_DISPATCH, ISSUE_MOVES, ISSUE_ZEROES, ISSUE_VECTORS };

struct issue {
    /* cycles per iteration in the steady state; NaN without the fact issue_width */
    double cycles;
    enum issue_kind kind;    /* the limit with the most cycles */
    /* number of slots, µops or moves per iteration, depending on @kind */
    double count;
    /* limit that determines the cycles, if kind is ISSUE_DISPATCH */
    struct dispatch_limit limit;
};

/* Computes the bound of rename. Some facts can leave slots empty (unlaminate_first, group_first,
 * group_not_last, group_whole). If the machine has such a fact, simulates iterations until the
 * state at the start of an iteration repeats. */
struct issue issue_of(const struct core *c, const struct insn *insns, const struct costs *costs);
/* Returns the number of µops of @row to which @limit applies. */
uint32_t issue_limited(const struct costs *costs, const struct cost *row,
                       const struct dispatch_limit *limit);
/* Returns the kind of elimination of @row: ISSUE_MOVES, ISSUE_ZEROES, or ISSUE_SLOTS if @row is not
 * eliminated. */
enum issue_kind issue_eliminated(const struct core *c, const struct insn *insn,
                                 const struct cost *row);
/* Returns the number of free slots that a group needs for @row to start in it, usually 1. @c must
 * have an issue_width. */
uint32_t issue_room(const struct core *c, const struct cost *row);

#endif
