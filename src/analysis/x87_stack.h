/* The x87 register stack: maps the names st(i) to the eight physical registers, and counts
 * instructions that need a microcode assist (fact x87_assist). */
#ifndef PORTOLAN_ANALYSIS_X87_STACK_H
#define PORTOLAN_ANALYSIS_X87_STACK_H

#include <stddef.h>

#include "isa/insn.h"

#define X87_REGISTERS 8
#define X87_FIRST 56     /* register number of st(0) and mm0 */
/* bits of an x87 register; names of the narrower MMX registers do not rotate */
#define X87_BITS 80

/* Returns the top of the stack before each of @insns and after the last instruction, modulo
 * X87_REGISTERS, from an initial top of 0; NULL: no instruction uses the stack. The caller frees
 * the array. */
uint8_t *x87_turns(const struct insn *insns, size_t count);
/* Returns the physical register of @insn's stack operand @op. @top: top of the stack before @insn.
 * A load writes the register at the new top. Pure. */
uint8_t x87_register(uint8_t top, const struct insn *insn, const struct operand *op);

/* assists.c: an x87 instruction needs an assist if its registers are empty, full or contain no
 * number, or if its memory operand is denormal */

/* Returns the number of assists per iteration of the block in its steady state. The x87 stack is
 * initially empty, and memory contains START_MEMORY (model/start.h), as under `kernel measure`. Any
 * thread. */
double assists_count(const struct insn *insns, size_t count);

#endif
