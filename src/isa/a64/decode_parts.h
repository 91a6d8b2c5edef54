/* Parts of decoding AArch64 instructions. Internal to isa/a64. */
#ifndef PORTOLAN_ISA_A64_DECODE_PARTS_H
#define PORTOLAN_ISA_A64_DECODE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/a64/form.h"


/* Returns whether @word, disassembled as @mnemonic, is on the list of permitted instructions. */
bool a64_allow(uint32_t word, const char *mnemonic);


/* Disassembles @word at @offset. The strings belong to Capstone and are valid until this thread's
 * next call. Returns false if Capstone does not support the word, or if the program was built
 * without Capstone. The first call loads the library. If loading fails, the program exits. Any
 * thread. */
bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands);


/* Fills operation, condition and roles of @out. Operands and traits must already be set. */
void a64_operation(const struct a64_text *text, struct insn *out);

#endif
