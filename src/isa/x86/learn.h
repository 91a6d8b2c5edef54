/* Cache of instructions that disassemblers other than Zydis decoded, by their bytes. Internal to
 * x86_decode. */
#ifndef PORTOLAN_ISA_X86_LEARN_H
#define PORTOLAN_ISA_X86_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define X86_LEARN_BYTES 15   /* size in bytes of the longest instruction */
#define X86_LEARN_TEXT 160

/* Bytes from the assumed start of an instruction; fewer than X86_LEARN_BYTES at the end of the
 * code */
struct x86_window {
    uint8_t bytes[X86_LEARN_BYTES], length;
};

/* Disassembles the first instruction of each of the @count windows that are not cached, with
 * binutils' objdump and then with LLVM's. Sets *@fresh to the number of new instructions, which is
 * 0 without these tools. Returns false with err if an installed tool fails, or a file cannot be
 * written. */
bool x86_learn_windows(const struct x86_window *windows, size_t count, size_t *fresh,
                       struct err *err);
/* Copies the text (Intel syntax) of the cached instruction at @code. Returns its length; 0 if there
 * is none. */
size_t x86_learned(const uint8_t *code, size_t length, char text[X86_LEARN_TEXT]);

#endif
