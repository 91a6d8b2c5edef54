/* The x87 register stack: maps names to its eight registers. */
#ifndef PORTOLAN_ANALYSIS_X87_STACK_H
#define PORTOLAN_ANALYSIS_X87_STACK_H

#include <stddef.h>

#include "isa/insn.h"

#define X87_REGISTERS 8
#define X87_FIRST 56     /* number of st(0) and mm0 */
#define X87_BITS 80      /* of a register's value; those of MMX are narrower and never turn */

/* The top of the stack before each of @insns and, last, after them, modulo X87_REGISTERS and 0 at
 * the beginning; NULL when none of them uses the stack. The caller frees. */
uint8_t *x87_turns(const struct insn *insns, size_t count);
/* The register of @insn's stack operand @op, when the top is at @top before it; a load writes the
 * new top. Pure. */
uint8_t x87_register(uint8_t top, const struct insn *insn, const struct operand *op);

#endif
