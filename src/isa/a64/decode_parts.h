/* Parts of decoding AArch64 instructions. Internal to isa/a64. */
#ifndef PORTOLAN_ISA_A64_DECODE_PARTS_H
#define PORTOLAN_ISA_A64_DECODE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/a64/form.h"

/* allow.c: list of AArch64 instructions that foreign code may contain, on any computer and
 * thread. */

/* Returns whether @word, disassembled as @mnemonic, is on the list of computing instructions. */
bool a64_allow(uint32_t word, const char *mnemonic);

/* capstone.c: AArch64 disassembly by Capstone. */

/* Disassembles @word at @offset; the text is Capstone's and valid until this thread's next call.
 * False when Capstone lacks the word or the program was built without it. Any thread; the first
 * call loads the library, and the program ends if that fails. */
bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands);

/* operation.c: operations of AArch64 instructions, from their text. */

/* Fills operation, condition and roles of @out, after operands and traits. */
void a64_operation(const struct a64_text *text, struct insn *out);

#endif
