/* Initial values of a measured block, which determine the addresses that it accesses */
#ifndef PORTOLAN_MODEL_START_H
#define PORTOLAN_MODEL_START_H

#include <stdint.h>

/* initial content of memory; valid as an address and as a small number */
#define START_MEMORY 0x12345600

/* Addresses of operands relative to the program counter. Each operand has its own line; only the
 * offset in the line is meaningful. */
#define START_RELATIVE 0x70000000
#define START_RELATIVE_LINE 64

/* Bases of fs and gs. The thread's block starts at a cache line. */
#define START_SEGMENT 0x60000000

/* Returns the initial address in general register @reg. Each register has a different page offset.
 * Index registers are 0. Zen's first-level caches predict the way from eight address bits, bit 12 +
 * i xor bit 27 - i (Lipp et al., Take A Way, ASIA CCS 2020). Lines of one set with equal bits evict
 * each other. Therefore the sixteen addresses, and addresses up to eight pages away from them,
 * differ in these bits. Bits 16 to 23 and 24 to 27 have this effect. */
static inline uint64_t start_address(unsigned reg)
{
    return 0x10000000 + (uint64_t)reg * 0x01000000 + (reg % 16 * 16 + 8) * 4096 + reg * 1088 % 4096;
}

#endif
