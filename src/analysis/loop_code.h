/* Finds the instructions of a loop that its iterations execute. */
#ifndef PORTOLAN_ANALYSIS_LOOP_CODE_H
#define PORTOLAN_ANALYSIS_LOOP_CODE_H

#include "analysis/kernel.h"

/* Returns a copy of the instructions of loop @loop. Instructions that are never executed are
 * INSN_SKIPPED and have no operands. They are code that leaves the loop, and code after a jump that
 * no other jump reaches, such as padding. Code outside the loop's addresses is part of the loop if
 * it jumps back to the loop. If the head is not the loop's first instruction, several paths lead
 * back to it. Only the longest path then counts as executed. Returns NULL if all instructions are
 * executed, or if the code is not a loop. The caller frees the array; the text of each instruction
 * belongs to the kernel. Any thread. */
struct insn *loop_code_executed(const struct kernel *k, size_t loop);
/* Returns a mark per instruction of the kernel: whether it belongs to the natural loop of @loop.
 * Code outside of the loop's addresses belongs to it if control comes only from the loop and can
 * return to it. An example is the body of an if that the compiler placed after the function's end.
 * Returns NULL if the loop does not jump to other code of the kernel. The caller frees the array.
 * Any thread. */
bool *loop_code_members(const struct kernel *k, size_t loop);

#endif
