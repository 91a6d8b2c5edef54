/* Decodes AArch64 words to struct insn. Capstone disassembles, a64_form parses the text, and
 * a64_access derives reads and writes. Words that Capstone 4.0.2 does not support (LSE, half
 * precision, dot products, SVE, ...) are disassembled by binutils (a64_learn). All other words
 * become instructions with an unknown form and the flag INSN_UNDECODED. */
#ifndef PORTOLAN_ISA_A64_DECODE_H
#define PORTOLAN_ISA_A64_DECODE_H

#include "isa/a64/access.h"
#include "isa/insn.h"

/* Implements insn_decode. Returns false only for fewer than four bytes. An undecodable word has
 * INSN_UNDECODED and a form such as `UNDECODED (0x00000000)`. */
bool a64_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
/* Implements insn_form. An undecodable word has form UNDECODED and length 4. Any thread. */
size_t a64_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* Disassembles the words of @code that Capstone does not support in one run of
 * aarch64-linux-gnu-objdump, and caches the results. Without objdump these words remain undecoded.
 * Returns false with err if objdump is not installed or could not run. */
bool a64_learn(const uint8_t *code, size_t length, struct err *err);
/* Parses the disassembly of @word into mnemonic and operands. Returns false if no disassembler
 * supports @word. */
bool a64_read(uint32_t word, uint64_t offset, struct a64_text *out);

#endif
