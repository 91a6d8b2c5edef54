/* Additions of constants at rename (fact immediate_folding). Rename keeps a register as another
 * register plus a sum. An addition is executed when the sum grows too large. */
#ifndef PORTOLAN_ANALYSIS_SUMS_H
#define PORTOLAN_ANALYSIS_SUMS_H

#include "analysis/core.h"

struct immediate_folding {
    bool adds;            /* rename may fold this addition of a constant */
    uint8_t executed;     /* percentage of iterations in which the addition is executed */
    /* bit set of general registers with a pending sum before this instruction */
    uint32_t pending;
};

/* Fills one entry per instruction for the steady state. Returns false and fills nothing if the
 * machine lacks the fact or the block has no such addition. */
bool sums_find(const struct core *c, const struct insn *insns, size_t count,
               struct immediate_folding *out);

#endif
