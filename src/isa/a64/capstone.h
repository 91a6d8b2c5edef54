/* AArch64 instruction words as Capstone names them. Internal to a64_decode. */
#ifndef PORTOLAN_ISA_A64_CAPSTONE_H
#define PORTOLAN_ISA_A64_CAPSTONE_H

#include <stdbool.h>
#include <stdint.h>

/* The text of @word at @offset; it is Capstone's and lasts until this thread's next call. False
 * when Capstone does not know the word, or the program was built without it. Any thread; the first
 * call loads the library; the program ends without it. */
bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands);

#endif
