/* What code of others may hold to be run by measuring: decided by what the decoder says of an
 * instruction, never by its bytes. Internal to isa/. */
#ifndef PORTOLAN_ISA_X86_ALLOW_H
#define PORTOLAN_ISA_X86_ALLOW_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

/* True when @in, with all its operands in @ops, works on registers, flags and memory alone, or is a
 * near branch: no way into the system, no clock, no identity of the machine, no lasting state.
 * Instructions that the decoder learns later are not on the list. Any thread. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

#endif
