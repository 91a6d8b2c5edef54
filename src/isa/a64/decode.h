/* AArch64 instruction words to struct insn. Capstone prints the text, a64_form parses it,
 * a64_access gives reads and writes. Words that Capstone 4.0.2 does not know (LSE, half precision,
 * dot products, SVE, ...) are looked up among those that a64_learn got from binutils' disassembler.
 * Other words become instructions of unknown form: flagged, never free. */
#ifndef PORTOLAN_ISA_A64_DECODE_H
#define PORTOLAN_ISA_A64_DECODE_H

#include "isa/a64/access.h"
#include "isa/insn.h"

/* As insn_decode. False only when fewer than four bytes are there; a word that is no instruction
 * gets INSN_UNDECODED and the form `UNDECODED (0x00000000)`. Any thread. */
bool a64_decode(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                struct err *err);
/* As insn_form; an undecodable word has its UNDECODED form and length 4. Any thread. */
size_t a64_form(const uint8_t *code, size_t length, char form[FORM_MAX], uint32_t *traits);
/* Has aarch64-linux-gnu-objdump name the words of @code that Capstone does not know, one run for
 * all; they are kept until the program ends. Without objdump they stay unknown. False with err only
 * when it could not be run. Any thread. */
bool a64_learn(const uint8_t *code, size_t length, struct err *err);
/* The instruction's text: mnemonic and operands taken apart. False when no decoder knows the word.
 * Any thread. */
bool a64_read(uint32_t word, uint64_t offset, struct a64_text *out);

#endif
