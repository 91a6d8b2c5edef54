/* Parts of decoding x86-64 instructions; internal to isa/x86 */
#ifndef PORTOLAN_ISA_X86_DECODE_PARTS_H
#define PORTOLAN_ISA_X86_DECODE_PARTS_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "isa/insn.h"

/* allow.c: instructions that foreign code may contain. The decision uses the results of the
 * decoder, not bytes. */

/* Returns whether @in with operands @ops uses only registers, flags and memory, or is a near
 * branch. Excludes system calls, clocks, the identity of the computer, and state that persists.
 * Instructions that only future decoders support are excluded. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* operation.c: operations of x86-64 instructions from their mnemonics. */

/* Fills operation, condition and roles of @out. Call it after operands and traits are set. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* Returns whether a legacy encoding preserves a part of its destination, or all of it if the source
 * is zero. The decoder reports such a destination as write-only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Returns whether the instruction faults if its vector in memory is not aligned. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* x87.c: effects of x87 instructions on the register stack. */

/* Fills x87 and x87_step of @out. Call it after the mnemonic is set. */
void x87_fill(struct insn *out);

/* text.c: parses a disassembler's Intel syntax into struct insn, for instructions that Zydis does
 * not support */

/* Fills mnemonic, form, operands and traits of @out from @text by objdump of binutils or LLVM.
 * Call it when bytes and length are set. The first operand is assumed to be the result.
 * Accumulating families also read it, and a result in memory is read and written. A comparison is
 * assumed to write flags, and a conditional jump to read none. Returns false, with @out invalid,
 * if @text is no instruction or an operand is of an unknown kind. */
bool x86_text_read(const char *text, struct insn *out);

#endif
