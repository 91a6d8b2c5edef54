/* Cache of instructions that a second tool disassembled, by their bytes. Internal to x86_decode. */
#ifndef PORTOLAN_ISA_X86_LEARN_H
#define PORTOLAN_ISA_X86_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define X86_LEARN_BYTES 15   /* bytes of the longest instruction */
#define X86_LEARN_TEXT 160

/* Bytes from the expected start of an instruction; fewer at the end of the code. */
struct x86_window {
    uint8_t bytes[X86_LEARN_BYTES], length;
};

/* Disassembles the first instruction of each unknown window of the @count windows: in one run of
 * binutils' objdump, then the remaining ones with LLVM's. *@fresh gets the number of new
 * instructions, 0 without these tools. False with err only if a tool could not run. */
bool x86_learn_windows(const struct x86_window *windows, size_t count, size_t *fresh,
                       struct err *err);
/* Returns the length of the instruction at @code and copies its text in Intel syntax; 0 if
 * unknown. */
size_t x86_learned(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT]);

#endif
