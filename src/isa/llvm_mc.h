/* Runs llvm-mc of the installed LLVM on instructions that binutils lack. */
#ifndef PORTOLAN_ISA_LLVM_MC_H
#define PORTOLAN_ISA_LLVM_MC_H

#include "base/str.h"
#include "isa/insn.h"

#define LLVM_MC_BYTES 15   /* bytes of the longest instruction */

/* An instruction and its text. */
struct llvm_mc_word {
    /* line to encode, not NUL-terminated; or decoded text, owned by the caller */
    const char *text;
    size_t length;       /* length of a line to encode */
    uint32_t word;       /* word, for instruction sets with four-byte words */
    uint8_t bytes[LLVM_MC_BYTES], size;
    bool known;
};

/* Fills word, bytes, size and known for @count lines. Skips lines that may contain several
 * instructions or a directive. For a set with dialects a line with % has AT&T syntax; other lines
 * have Intel syntax if @intel. False with err if llvm-mc does not run. */
bool llvm_mc_encode(enum isa isa, bool intel, struct llvm_mc_word *lines, size_t count,
                    struct err *err);
/* Fills text and known for @count four-byte words. False with err if llvm-mc does not run. */
bool llvm_mc_decode(enum isa isa, struct llvm_mc_word *words, size_t count, struct err *err);

#endif
