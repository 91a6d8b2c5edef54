/* Counts x87 instructions that need a microcode assist: their registers are empty, full or hold no
 * number, or their memory operand is denormal (fact x87_assist). */
#ifndef PORTOLAN_ANALYSIS_ASSISTS_H
#define PORTOLAN_ANALYSIS_ASSISTS_H

#include "isa/insn.h"

/* Returns assists per iteration of the block in its steady state. It starts with an empty stack and
 * memory that holds START_MEMORY (model/start.h), as `kernel measure` runs it. Any thread. */
double assists_count(const struct insn *insns, size_t count);

#endif
