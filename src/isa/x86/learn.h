/* Cache of instructions disassembled by a second tool, by bytes. Internal to x86_decode. */
#ifndef PORTOLAN_ISA_X86_LEARN_H
#define PORTOLAN_ISA_X86_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define X86_LEARN_BYTES 15   /* longest instruction */
#define X86_LEARN_TEXT 160

/* Bytes from an instruction's expected start; fewer at the end of the code. */
struct x86_window {
    uint8_t bytes[X86_LEARN_BYTES], length;
};

/* Disassembles the first instruction of each new one of the @count windows by one run of binutils'
 * objdump, the rest by LLVM's. *@fresh: the number of new instructions. Without these tools there
 * are none. False with err only when one could not run. */
bool x86_learn_windows(const struct x86_window *windows, size_t count, size_t *fresh,
                       struct err *err);
/* Length of the instruction at @code and its text in Intel syntax; 0 if unknown. */
size_t x86_learned(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT]);

#endif
