/* Parts of decode.c's decoding of x86-64 instructions. Internal to isa/x86. */
#ifndef PORTOLAN_ISA_X86_DECODE_PARTS_H
#define PORTOLAN_ISA_X86_DECODE_PARTS_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

#include "isa/insn.h"

/* allow.c: what code of others may hold to be run by measuring: decided by what the decoder says
 * of an instruction, never by its bytes. */

/* True when @in, with all its operands in @ops, works on registers, flags and memory alone, or is a
 * near branch: no way into the system, no clock, no identity of the machine, no lasting state.
 * Instructions that the decoder learns later are not on the list. Any thread. */
bool allow_insn(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* operation.c: what x86-64 instructions do, from their mnemonics. */

/* Fills operation, condition and roles of @out, whose operands and traits stand already. Any
 * thread. */
void x86_operation(const ZydisDecodedInstruction *in, struct insn *out);
/* True for legacy encodings that keep a part of the destination, or all of it when the source is
 * zero, though the decoder has it as written only. */
bool x86_keeps_old(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);
/* Whether it faults if its vector in memory is not aligned to its width. Any thread. */
bool x86_demands_alignment(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops);

/* x87.c: what x87 instructions do to the register stack. */

/* Fills x87 and x87_step of @out, whose mnemonic stands already. Any thread. */
void x87_fill(struct insn *out);

/* text.c: what a disassembler writes of an instruction, in Intel syntax, as struct insn: for
 * instructions that this program's own decoder does not have. */

/* Fills mnemonic, form, operands and traits of @out, whose bytes and length are there, from @text
 * as binutils' and LLVM's objdump write it. What is read and written follows the rule of the set:
 * the first operand is the result, which accumulating families read; memory that comes first is
 * read and written. Flags: those of comparisons, conditional jumps' none. False where @text is no
 * instruction with operands of known kinds; @out is then unusable. Any thread. */
bool x86_text_read(const char *text, struct insn *out);

#endif
