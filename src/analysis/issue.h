/* Slots at rename: cycles per iteration. */
#ifndef PORTOLAN_ANALYSIS_ISSUE_H
#define PORTOLAN_ANALYSIS_ISSUE_H

#include "analysis/cost.h"

/* Limits of rename: its slots, or a kind of which it takes only a few per cycle (facts
 * dispatch_limits, eliminate_per_cycle, eliminate_zero_per_cycle and rename_vectors). */
enum issue_kind { ISSUE_SLOTS, ISSUE_DISPATCH, ISSUE_MOVES, ISSUE_ZEROES, ISSUE_VECTORS };

struct issue {
    /* per iteration in the steady state; NaN without the fact issue_width */
    double cycles;
    enum issue_kind kind;    /* the limit that binds */
    double count;            /* slots, µops or moves of that kind per iteration */
    struct dispatch_limit limit;   /* where it is one of dispatch */
};

/* Computes the bound of rename. The function follows groups of slots, until one begins as an
 * earlier one did, where a fact shapes them (unlaminate_first, group_first, group_not_last,
 * group_whole); elsewhere all slots are filled. */
struct issue issue_of(const struct core *c, const struct insn *insns, const struct costs *costs);
/* µops of @row that @limit is about. */
uint32_t issue_limited(const struct costs *costs, const struct cost *row,
                       const struct dispatch_limit *limit);
/* Kind that rename eliminates of @row: ISSUE_MOVES, ISSUE_ZEROES, or ISSUE_SLOTS for none. */
enum issue_kind issue_eliminated(const struct core *c, const struct insn *insn,
                                 const struct cost *row);
/* Slots of its group that must be left for @row to begin in it; 1 where any will do. @c knows its
 * issue_width. */
uint32_t issue_room(const struct core *c, const struct cost *row);

#endif
