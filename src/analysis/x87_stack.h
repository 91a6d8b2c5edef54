/* The x87 register stack: which of its eight registers a name stands for. */
#ifndef PORTOLAN_ANALYSIS_X87_STACK_H
#define PORTOLAN_ANALYSIS_X87_STACK_H

#include <stddef.h>

#include "isa/insn.h"

#define X87_REGISTERS 8
#define X87_FIRST 56     /* number of st(0) and mm0 */
#define X87_BITS 80      /* of a register's value; those of MMX are narrower and never turn */

/* Where the top of the stack is before each of @insns and, last, behind them, modulo X87_REGISTERS
 * and with 0 at the beginning; NULL when none of them uses the stack. The caller frees. */
uint8_t *x87_turns(const struct insn *insns, size_t count);
/* The register that @insn has as its operand @op, a register of the stack, when the top is at @top
 * before it: what a load writes is the new top. Pure. */
uint8_t x87_register(uint8_t top, const struct insn *insn, const struct operand *op);

#endif
