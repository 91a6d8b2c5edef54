/* Runs llvm-mc of the installed LLVM for instructions that binutils does not support. */
#ifndef PORTOLAN_ISA_LLVM_MC_H
#define PORTOLAN_ISA_LLVM_MC_H

#include "base/str.h"
#include "isa/insn.h"

#define LLVM_MC_BYTES 15   /* size in bytes of the longest instruction */

struct llvm_mc_word {
    /* the line to encode, which is not NUL-terminated, or the decoded text, which the caller
     * owns */
    const char *text;
    size_t length;       /* length of the line to encode */
    uint32_t word;       /* the instruction of a set whose instructions have four bytes */
    uint8_t bytes[LLVM_MC_BYTES], size;
    bool known;
};

/* Encodes @count lines: fills word, bytes, size and known. Skips lines that may contain several
 * instructions or a directive. If the set has dialects, a line with % is in AT&T syntax, and any
 * other line is in Intel syntax if @intel is true. Returns false with err if llvm-mc does not
 * run. */
bool llvm_mc_encode(enum isa isa, bool intel, struct llvm_mc_word *lines, size_t count,
                    struct err *err);
/* Decodes @count four-byte words: fills text and known. Returns false with err if llvm-mc does not
 * run. */
bool llvm_mc_decode(enum isa isa, struct llvm_mc_word *words, size_t count, struct err *err);

#endif
