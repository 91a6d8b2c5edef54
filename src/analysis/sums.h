/* Additions of constants that rename does itself (fact immediate_folding): it keeps a register as
 * another one plus a sum, until the sum gets too large and one addition is executed. */
#ifndef PORTOLAN_ANALYSIS_SUMS_H
#define PORTOLAN_ANALYSIS_SUMS_H

#include "analysis/core.h"

struct immediate_folding {
    bool adds;            /* an addition of a constant that rename may do */
    uint8_t executed;     /* of it: in how many of 100 iterations a port does it */
    /* general registers, as bits, that the instruction finds with a sum still to be added */
    uint32_t pending;
};

/* Fills one entry per instruction for the steady state; false, and nothing filled, when the machine
 * has no such rename or the block no such addition. */
bool sums_find(const struct core *c, const struct insn *insns, size_t count,
               struct immediate_folding *out);

#endif
