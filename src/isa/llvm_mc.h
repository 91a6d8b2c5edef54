/* llvm-mc of the installed LLVM: assembles and disassembles instructions that binutils do not know yet. Any thread. */
#ifndef PORTOLAN_ISA_LLVM_MC_H
#define PORTOLAN_ISA_LLVM_MC_H

#include "base/str.h"
#include "isa/insn.h"

/* An instruction of four bytes and its text. */
struct llvm_mc_word {
    const char *text;    /* to encode: the line, not ended by a zero byte; decoded: owned by the caller */
    size_t length;       /* of a line to encode */
    uint32_t word;
    bool known;
};

/* Whether sets of @isa have words of four bytes and an assembler directive for them. */
bool llvm_mc_serves(enum isa isa);
/* Fills word and known of the @count lines. Lines that could be more than one instruction, or a directive, are not known.
 * False with err when llvm-mc does not run. */
bool llvm_mc_encode(enum isa isa, struct llvm_mc_word *lines, size_t count, struct err *err);
/* Fills text and known of the @count words. False with err when llvm-mc does not run. */
bool llvm_mc_decode(enum isa isa, struct llvm_mc_word *words, size_t count, struct err *err);

#endif
