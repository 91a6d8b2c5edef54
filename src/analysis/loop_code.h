/* Finds the instructions of a loop that its iterations execute. */
#ifndef PORTOLAN_ANALYSIS_LOOP_CODE_H
#define PORTOLAN_ANALYSIS_LOOP_CODE_H

#include "isa/insn.h"

/* Returns a copy of the @count instructions. Instructions that no iteration executes are
 * INSN_SKIPPED and have no operands: unreachable code such as padding, and code that leaves the
 * loop. Returns NULL if all are executed. The caller frees the array; its texts belong to @insns.
 * Any thread. */
struct insn *loop_code_executed(const struct insn *insns, size_t count);

#endif
