/* What x87 instructions do to the register stack. Internal to isa/x86. */
#ifndef PORTOLAN_ISA_X86_X87_H
#define PORTOLAN_ISA_X86_X87_H

#include "isa/insn.h"

/* Fills x87 and x87_step of @out, whose mnemonic stands already. Any thread. */
void x87_fill(struct insn *out);

#endif
