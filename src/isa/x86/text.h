/* What a disassembler writes of an instruction, in Intel syntax, as struct insn: for instructions
 * that this program's own decoder does not have. Internal to isa/x86. */
#ifndef PORTOLAN_ISA_X86_TEXT_H
#define PORTOLAN_ISA_X86_TEXT_H

#include "isa/insn.h"

/* Fills mnemonic, form, operands and traits of @out, whose bytes and length are there, from @text
 * as binutils' and LLVM's objdump write it. What is read and written follows the rule of the set:
 * the first operand is the result, which accumulating families read; memory that comes first is
 * read and written. Flags: those of comparisons, conditional jumps' none. False where @text is no
 * instruction with operands of known kinds; @out is then unusable. Any thread. */
bool x86_text_read(const char *text, struct insn *out);

#endif
