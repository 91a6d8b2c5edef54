/* Decodes AArch64 words to struct insn. Capstone disassembles, a64_form parses the text, a64_access
 * derives reads and writes. Words unknown to Capstone 4.0.2 (LSE, half precision, dot products,
 * SVE, ...) are disassembled by a64_learn with binutils. All other words become instructions of
 * unknown form with a flag. */
#ifndef PORTOLAN_ISA_A64_DECODE_H
#define PORTOLAN_ISA_A64_DECODE_H

#include "isa/a64/access.h"
#include "isa/insn.h"

/* Implements insn_decode. Returns false only for fewer than four bytes. An invalid word gets
 * INSN_UNDECODED and the form `UNDECODED (0x00000000)`. */
bool a64_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
/* Implements insn_form. An undecodable word has its UNDECODED form and length 4. Any thread. */
size_t a64_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* Disassembles the words of @code that Capstone lacks in one run of aarch64-linux-gnu-objdump, and
 * caches them. Without objdump they stay unknown. False with err only if it could not run. */
bool a64_learn(const uint8_t *code, size_t length, struct err *err);
/* Parses the disassembly of @word into mnemonic and operands. Returns false if no decoder supports
 * the word. */
bool a64_read(uint32_t word, uint64_t offset, struct a64_text *out);

#endif
