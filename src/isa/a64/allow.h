/* What AArch64 code of others may be run, on any computer and thread. */
#ifndef PORTOLAN_ISA_A64_ALLOW_H
#define PORTOLAN_ISA_A64_ALLOW_H

#include <stdbool.h>
#include <stdint.h>

/* Whether @word, which a decoder calls @mnemonic, is on the list of instructions that only
 * compute. */
bool a64_allow(uint32_t word, const char *mnemonic);

#endif
