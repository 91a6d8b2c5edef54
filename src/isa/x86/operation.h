/* What x86-64 instructions do, from their mnemonics. Internal to isa/x86: a header with decoder
 * types. */
#ifndef PORTOLAN_ISA_X86_OPERATION_H
#define PORTOLAN_ISA_X86_OPERATION_H

#include <Zydis/Zydis.h>

#include "isa/insn.h"

/* Fills operation, condition and roles of @out, whose operands and traits stand already. Any
 * thread. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* True for legacy encodings that keep a part of the destination, or all of it when the source is
 * zero, though the decoder has it as written only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Whether it faults if its vector in memory is not aligned to its width. Any thread. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

#endif
