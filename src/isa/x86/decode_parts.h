/* Parts of decoding x86-64 instructions. Internal to isa/x86. */
#ifndef PORTOLAN_ISA_X86_DECODE_PARTS_H
#define PORTOLAN_ISA_X86_DECODE_PARTS_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "isa/insn.h"

/* allow.c: instructions that foreign code may contain, decided by the decoder's data, never by
 * bytes. */

/* Returns whether @in with its operands @ops only uses registers, flags and memory, or is a near
 * branch: no system call, clock, machine identity or lasting state. Instructions of future decoders
 * are excluded by default. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* operation.c: operations of x86-64 instructions, from their mnemonics. */

/* Fills operation, condition and roles of @out, after operands and traits. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* Returns whether a legacy encoding keeps part of its destination, or all of it for a zero source,
 * although the decoder reports it as write-only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Returns whether it faults on an unaligned vector in memory. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* x87.c: effects of x87 instructions on the register stack. */

/* Fills x87 and x87_step of @out, after the mnemonic. */
void x87_fill(struct insn *out);

/* text.c: parses a disassembler's Intel syntax into struct insn, for instructions that the decoder
 * lacks. */

/* Fills mnemonic, form, operands and traits of @out, after bytes and length, from @text of
 * binutils' or LLVM's objdump. The first operand is the result, which accumulating families also
 * read; memory that comes first is read and written. Comparisons write flags, conditional jumps get
 * none. False where @text is no instruction with operands of known kinds; @out is then invalid. */
bool x86_text_read(const char *text, struct insn *out);

#endif
