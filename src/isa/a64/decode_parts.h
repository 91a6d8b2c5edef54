/* Parts of decode.c's decoding of AArch64 instructions. Internal to isa/a64. */
#ifndef PORTOLAN_ISA_A64_DECODE_PARTS_H
#define PORTOLAN_ISA_A64_DECODE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/a64/form.h"

/* allow.c: what AArch64 code of others may be run, on any computer and thread. */

/* Whether @word, which a decoder calls @mnemonic, is on the list of instructions that only
 * compute. */
bool a64_allow(uint32_t word, const char *mnemonic);

/* capstone.c: AArch64 instruction words as Capstone names them. */

/* The text of @word at @offset; it is Capstone's and lasts until this thread's next call. False
 * when Capstone does not know the word, or the program was built without it. Any thread; the first
 * call loads the library; the program ends without it. */
bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands);

/* operation.c: what AArch64 instructions do, from their text. */

/* Fills operation, condition and roles of @out, whose operands and traits stand already. Any
 * thread. */
void a64_operation(const struct a64_text *text, struct insn *out);

#endif
