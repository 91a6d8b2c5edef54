/* Parts of decoding x86-64 instructions; internal to isa/x86 */
#ifndef PORTOLAN_ISA_X86_DECODE_PARTS_H
#define PORTOLAN_ISA_X86_DECODE_PARTS_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "isa/insn.h"


/* Returns whether @in with operands @ops uses only registers, flags and memory, or is a near
 * branch. Excludes system calls, clocks, the identity of the computer, and state that persists.
 * Also excludes instructions that only future decoders support. Decides by the results of the
 * decoder, not by bytes. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);


/* Fills operation, condition and roles of @out, and sets INSN_STACK. Call it after operands and
 * other traits are set. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* Returns whether a legacy encoding preserves a part of its destination, or all of it if the source
 * is zero. The decoder reports such a destination as write-only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Returns whether the instruction faults if its operand in memory is not aligned. Any value if it
 * has none. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* x87.c: effects of x87 instructions on the register stack. */

/* Fills x87 and x87_step of @out. Call it after the mnemonic is set. Leaves other instructions
 * unchanged. */
void x87_fill(struct insn *out);


/* Fills mnemonic, form, operands and traits of @out from @text by objdump of binutils or LLVM.
 * Bytes and length must already be set. Assumes that the first operand is the result, which
 * accumulating families also read. Assumes that a result in memory is only written by vector
 * instructions, otherwise read and written. Assumes that a comparison writes flags, and that no
 * instruction reads flags. Returns false, with @out invalid, if @text is no instruction or an
 * operand is of an unknown kind. */
bool x86_text_read(const char *text, struct insn *out);

#endif
