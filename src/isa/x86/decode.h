/* Decodes x86-64 machine code to struct insn. */
#ifndef PORTOLAN_ISA_X86_DECODE_H
#define PORTOLAN_ISA_X86_DECODE_H

#include "isa/insn.h"

/* Implement insn_decode and insn_form. If Zydis does not support an instruction, decodes it from
 * another disassembler's text (x86_learn). If the text is unsupported, the instruction is
 * INSN_UNDECODED. Without a text, it is so if its length follows from the encoding (VEX, EVEX,
 * REX2). */
bool x86_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
size_t x86_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* Implements insn_learn: disassembles the instructions that Zydis does not support with objdump of
 * binutils and LLVM, in child processes. */
bool x86_learn(const uint8_t *code, size_t length, struct err *err);
/* Returns the length of a VEX or EVEX encoding, which does not depend on the instruction (Intel
 * SDM, volume 2, 2.3 and 2.7). Returns 0 for other encodings and for incomplete encodings. Pure. */
size_t x86_encoding_length(const uint8_t *code, size_t length);
size_t x86_glance(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
/* Implements isa_ops.listed. Any thread. */
bool x86_listed(const uint8_t *code, size_t length, size_t *held, int64_t *far);

#endif
