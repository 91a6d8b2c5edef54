/* Decodes AArch64 words to struct insn. Capstone disassembles, a64_form parses the text, a64_access
 * gives reads and writes. Words unknown to Capstone 4.0.2 (LSE, half precision, dot products, SVE,
 * ...) come from a64_learn, which uses binutils. Others become instructions of unknown form, which
 * are flagged. */
#ifndef PORTOLAN_ISA_A64_DECODE_H
#define PORTOLAN_ISA_A64_DECODE_H

#include "isa/a64/access.h"
#include "isa/insn.h"

/* As insn_decode. False only with fewer than four bytes; an invalid word gets INSN_UNDECODED and
 * the form `UNDECODED (0x00000000)`. */
bool a64_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
/* As insn_form; an undecodable word has its UNDECODED form and length 4. Any thread. */
size_t a64_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* Disassembles the words of @code that Capstone lacks by one run of aarch64-linux-gnu-objdump, and
 * caches them. Without objdump they stay unknown. False with err only when it could not run. */
bool a64_learn(const uint8_t *code, size_t length, struct err *err);
/* Parses the instruction's text into mnemonic and operands. False when no decoder has the word. */
bool a64_read(uint32_t word, uint64_t offset, struct a64_text *out);

#endif
