/* Additions of constants at rename (fact immediate_folding): rename keeps a register as another one
 * plus a sum. When the sum grows too large one addition is executed. */
#ifndef PORTOLAN_ANALYSIS_SUMS_H
#define PORTOLAN_ANALYSIS_SUMS_H

#include "analysis/core.h"

struct immediate_folding {
    bool adds;            /* an addition of a constant that rename may fold */
    uint8_t executed;     /* percentage of iterations in which it is executed */
    /* bit set of general registers that have a pending sum at this instruction */
    uint32_t pending;
};

/* Fills one entry per instruction for the steady state. False, with nothing filled, when the
 * machine lacks the fact or the block such an addition. */
bool sums_find(const struct core *c, const struct insn *insns, size_t count,
               struct immediate_folding *out);

#endif
