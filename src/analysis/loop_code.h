/* What of a loop's code its iterations execute. */
#ifndef PORTOLAN_ANALYSIS_LOOP_CODE_H
#define PORTOLAN_ANALYSIS_LOOP_CODE_H

#include "isa/insn.h"

/* Returns a copy of the @count instructions in which those that no iteration executes are
 * INSN_SKIPPED, without operands: code after a jump that nothing leads to, such as padding, and, in
 * a loop, code that leads out of it. NULL: all are executed. The caller frees the array; texts stay
 * those of @insns. Any thread. */
struct insn *loop_code_executed(const struct insn *insns, size_t count);

#endif
