/* x86-64 machine code to struct insn. */
#ifndef PORTOLAN_ISA_X86_DECODE_H
#define PORTOLAN_ISA_X86_DECODE_H

#include "isa/insn.h"

/* As insn_decode and insn_form. Any thread. */
bool x86_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out, struct err *err);
size_t x86_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
size_t x86_glance(const uint8_t *code, size_t length, int64_t *branch, bool *vector);

#endif
