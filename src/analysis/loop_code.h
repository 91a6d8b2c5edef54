/* Finds the instructions of a loop that its iterations execute. */
#ifndef PORTOLAN_ANALYSIS_LOOP_CODE_H
#define PORTOLAN_ANALYSIS_LOOP_CODE_H

#include "analysis/kernel.h"

/* Returns a copy of the instructions of loop @loop in which those that no iteration executes are
 * INSN_SKIPPED, without operands: code after a jump that nothing leads to, such as padding, and, in
 * a loop, code that leads out of it for good. Code that jumps to a block outside of the loop's
 * addresses, which jumps back, is executed. NULL: all are executed. The caller frees the array;
 * texts stay those of the kernel. Any thread. */
struct insn *loop_code_executed(const struct kernel *k, size_t loop);

#endif
