/* llvm-mc of the installed LLVM: assembles and disassembles instructions that binutils do not know
 * yet. Any thread. */
#ifndef PORTOLAN_ISA_LLVM_MC_H
#define PORTOLAN_ISA_LLVM_MC_H

#include "base/str.h"
#include "isa/insn.h"

#define LLVM_MC_BYTES 15   /* the most that an instruction has */

/* An instruction and its text. */
struct llvm_mc_word {
    /* to encode: the line, not ended by a zero byte; decoded: owned by the caller */
    const char *text;
    size_t length;       /* of a line to encode */
    uint32_t word;       /* of sets with words of four bytes */
    uint8_t bytes[LLVM_MC_BYTES], size;
    bool known;
};

/* Fills word, bytes, size and known of the @count lines. Lines that could be more than one
 * instruction, or a directive, are not known; of a set with dialects a line with a % is in AT&T
 * syntax, the others in Intel's if @intel. False with err when llvm-mc does not run. */
bool llvm_mc_encode(enum isa isa, bool intel, struct llvm_mc_word *lines, size_t count,
                    struct err *err);
/* Fills text and known of the @count words, which have four bytes. False with err when llvm-mc does
 * not run. */
bool llvm_mc_decode(enum isa isa, struct llvm_mc_word *words, size_t count, struct err *err);

#endif
