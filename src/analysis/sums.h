/* Additions of constants at rename (fact immediate_folding). Rename represents a register as
 * another register plus a sum. An addition is executed if the sum would exceed its field. */
#ifndef PORTOLAN_ANALYSIS_SUMS_H
#define PORTOLAN_ANALYSIS_SUMS_H

#include "analysis/core.h"

struct immediate_folding {
    bool adds;            /* whether rename may fold this addition of a constant */
    uint8_t executed;     /* percentage of iterations in which the addition is executed */
    /* set of the general registers that this instruction reads and that have a pending sum */
    uint32_t pending;
};

/* Fills @out, one entry per instruction, for the steady state. Returns false if the machine lacks
 * the fact, or if the block neither adds nor sets a constant; @out is then undefined. */
bool sums_find(const struct core *c, const struct insn *insns, size_t count,
               struct immediate_folding *out);

#endif
