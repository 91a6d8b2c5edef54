/* x87 instructions that end in microcode: on registers that are empty, full or hold no number, and
 * on denormal memory (fact x87_assist). */
#ifndef PORTOLAN_ANALYSIS_ASSISTS_H
#define PORTOLAN_ANALYSIS_ASSISTS_H

#include "isa/insn.h"

/* How many of them in an iteration of the block in its steady state, when it begins with an empty
 * stack and memory that holds START_MEMORY (model/start.h), as `kernel measure` runs it. Any
 * thread. */
double assists_count(const struct insn *insns, size_t count);

#endif
