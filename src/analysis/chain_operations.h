/* Operations of the links of dependence chains: for limit.c alone. One thread. */
#ifndef PORTOLAN_ANALYSIS_CHAIN_OPERATIONS_H
#define PORTOLAN_ANALYSIS_CHAIN_OPERATIONS_H

#include "analysis/analysis.h"

/* What an instruction does with the value that reaches it. */
enum link_class {
    LINK_MOVE, LINK_ADD, LINK_MULTIPLY, LINK_AND, LINK_OR, LINK_XOR, LINK_MINMAX, LINK_SELECT,
    LINK_COMPARE,
    LINK_SHIFT,      /* multiplied by a constant power of two */
    LINK_SCALE,      /* multiplied by another input, of which the sum is another one */
    LINK_OTHER
};

/* The instruction that makes the value at the end of edge @at. */
const struct insn *link_insn(const struct analysis *a, const struct deps *d, size_t at);
/* Operation of that instruction on the value of the edge. */
enum link_class link_class_of(const struct analysis *a, const struct deps *d, size_t at);
/* Which operand of a fused multiplication and addition is added. */
int link_addend(const struct insn *insn);
/* Whether operand @end (enum latency_end) is an address that the access itself steps: written back,
 * or of a string. */
bool link_is_stepped(const struct insn *insn, int end);
/* Whether the edge brings the lanes of the destination that a mask leaves as they were. */
bool link_keeps_lanes(const struct analysis *a, const struct deps *d, size_t at);

#endif
