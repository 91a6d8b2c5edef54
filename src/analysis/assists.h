/* Counts x87 instructions that need a microcode assist (fact x87_assist). Their registers are
 * empty, full or contain no number, or their memory operand is denormal. */
#ifndef PORTOLAN_ANALYSIS_ASSISTS_H
#define PORTOLAN_ANALYSIS_ASSISTS_H

#include "isa/insn.h"

/* Returns the assists per iteration of the block in its steady state. The x87 stack is initially
 * empty, and memory contains START_MEMORY (model/start.h), as under `kernel measure`. Any
 * thread. */
double assists_count(const struct insn *insns, size_t count);

#endif
