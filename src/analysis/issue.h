/* Rename: cycles per iteration by issue slots. */
#ifndef PORTOLAN_ANALYSIS_ISSUE_H
#define PORTOLAN_ANALYSIS_ISSUE_H

#include "analysis/cost.h"

/* Limits of rename: slots, or a kind of µop with a limit per cycle (facts dispatch_limits,
 * eliminate_per_cycle, eliminate_zero_per_cycle, rename_vectors). */
enum issue_kind { ISSUE_SLOTS, ISSUE_DISPATCH, ISSUE_MOVES, ISSUE_ZEROES, ISSUE_VECTORS };

struct issue {
    /* per iteration in the steady state; NaN without the fact issue_width */
    double cycles;
    enum issue_kind kind;    /* the limit that applies */
    double count;            /* slots, µops or moves of that kind per iteration */
    struct dispatch_limit limit;   /* which dispatch limit */
};

/* Computes the bound of rename. Simulates groups of slots until one begins as an earlier one, if a
 * fact shapes groups (unlaminate_first, group_first, group_not_last, group_whole); if none does,
 * all slots are filled. */
struct issue issue_of(const struct core *c, const struct insn *insns, const struct costs *costs);
/* µops of @row that count for @limit. */
uint32_t issue_limited(const struct costs *costs, const struct cost *row,
                       const struct dispatch_limit *limit);
/* Kind of elimination of @row: ISSUE_MOVES, ISSUE_ZEROES, or ISSUE_SLOTS for none. */
enum issue_kind issue_eliminated(const struct core *c, const struct insn *insn,
                                 const struct cost *row);
/* Free slots of a group that @row needs to begin in it; 1 for most. @c has its issue_width. */
uint32_t issue_room(const struct core *c, const struct cost *row);

#endif
