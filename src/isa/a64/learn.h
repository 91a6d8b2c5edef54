/* Cache of words that disassemblers other than Capstone decoded. Internal to a64_decode. */
#ifndef PORTOLAN_ISA_A64_LEARN_H
#define PORTOLAN_ISA_A64_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define A64_MNEMONIC 32
#define A64_OPERAND_TEXT 160

/* Disassembles @words that are not cached with aarch64-linux-gnu-objdump, and words that objdump
 * does not support with llvm-mc, if llvm-mc is installed. Returns false with err only if objdump
 * could not run. */
bool a64_learn_words(const uint32_t *words, size_t count, struct err *err);
/* Copies the text of @word for address @offset from the cache. Returns false if the cache lacks
 * the word. */
bool a64_learned(uint32_t word, uint64_t offset, char mnemonic[A64_MNEMONIC],
                 char operands[A64_OPERAND_TEXT]);

#endif
