/* Parts of decoding x86-64 instructions. Internal to isa/x86. */
#ifndef PORTOLAN_ISA_X86_DECODE_PARTS_H
#define PORTOLAN_ISA_X86_DECODE_PARTS_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "isa/insn.h"

/* allow.c: instructions that foreign code may contain. Uses the decoder's data, never the bytes. */

/* Returns whether @in with its operands @ops uses only registers, flags and memory, or is a near
 * branch. Excludes system calls, clocks, machine identity and lasting state. Instructions of future
 * decoders are excluded by default. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* operation.c: operations of x86-64 instructions from their mnemonics. */

/* Fills operation, condition and roles of @out. Call after operands and traits are set. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* Returns whether a legacy encoding keeps part of its destination, or all of it for a zero source,
 * although the decoder reports the destination as write-only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Returns whether the instruction faults on an unaligned vector in memory. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* x87.c: effects of x87 instructions on the register stack. */

/* Fills x87 and x87_step of @out. Call after the mnemonic is set. */
void x87_fill(struct insn *out);

/* text.c: parses a disassembler's Intel syntax into struct insn, for instructions that the decoder
 * lacks. */

/* Fills mnemonic, form, operands and traits of @out from @text of binutils' or LLVM's objdump. Call
 * after bytes and length are set. The first operand is the result, which accumulating families also
 * read; memory as the first operand is read and written. Comparisons write flags; conditional jumps
 * read no flags. Returns false if @text is no instruction with operands of known kinds; then @out
 * is invalid. */
bool x86_text_read(const char *text, struct insn *out);

#endif
