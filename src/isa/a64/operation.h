/* What AArch64 instructions do, from their text. */
#ifndef PORTOLAN_ISA_A64_OPERATION_H
#define PORTOLAN_ISA_A64_OPERATION_H

#include "isa/a64/form.h"

/* Fills operation, condition and roles of @out, whose operands and traits stand already. Any
 * thread. */
void a64_operation(const struct a64_text *text, struct insn *out);

#endif
