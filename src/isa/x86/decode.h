/* Decodes x86-64 machine code to struct insn. */
#ifndef PORTOLAN_ISA_X86_DECODE_H
#define PORTOLAN_ISA_X86_DECODE_H

#include "isa/insn.h"

/* As insn_decode and insn_form. Instructions that Zydis lacks use another disassembler's text from
 * x86_learn; without that INSN_UNDECODED, if the length follows from the encoding (VEX, EVEX). */
bool x86_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
size_t x86_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* As insn_learn: disassembles what Zydis lacks by binutils' and LLVM's objdump in a child
 * process. */
bool x86_learn(const uint8_t *code, size_t length, struct err *err);
/* Length of a VEX or EVEX encoding, independent of the instruction (Intel's manual, volume 2, 2.3
 * and 2.7); 0 for other or truncated ones. Pure. */
size_t x86_encoding_length(const uint8_t *code, size_t length);
size_t x86_glance(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
/* As isa_ops.listed. Any thread. */
bool x86_listed(const uint8_t *code, size_t length, size_t *held, int64_t *far);

#endif
