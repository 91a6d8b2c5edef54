/* Instructions that a second disassembler has named, by their bytes. Internal to x86_decode. */
#ifndef PORTOLAN_ISA_X86_LEARN_H
#define PORTOLAN_ISA_X86_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define X86_LEARN_BYTES 15   /* the most that an instruction has */
#define X86_LEARN_TEXT 160

/* The bytes from a place on where an instruction should begin; fewer where the code ends. */
struct x86_window {
    uint8_t bytes[X86_LEARN_BYTES], length;
};

/* Has binutils' objdump, and LLVM's for the rest, name the instructions at the beginning of the new
 * ones of the @count windows, one run for all. *@fresh gets how many of them were named. Without
 * these tools none is. False with err only when one could not be run. Any thread. */
bool x86_learn_windows(const struct x86_window *windows, size_t count, size_t *fresh,
                       struct err *err);
/* The length of the named instruction at @code and its text in Intel syntax; 0 when there is none.
 * Any thread. */
size_t x86_learned(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT]);

#endif
