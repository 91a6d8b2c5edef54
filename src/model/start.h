/* Initial values of a block that Portolan measures, so that addresses are known. */
#ifndef PORTOLAN_MODEL_START_H
#define PORTOLAN_MODEL_START_H

#include <stdint.h>

/* Initial content of memory: a pointer that can be mapped, small enough as a number. */
#define START_MEMORY 0x12345600

/* Where operands relative to the program counter lie, each at the beginning of a line of its own:
 * of its addresses only the place within the line is meant. */
#define START_RELATIVE 0x70000000
#define START_RELATIVE_LINE 64

/* Bases of fs and gs, likewise: the thread's block begins at a line. */
#define START_SEGMENT 0x60000000

/* The address that general register @reg begins with, at its own offset in its page. Index
 * registers begin with 0. Zen's first-level caches predict the way by eight bits of the address,
 * bit 12 + i xor bit 27 - i (Lipp et al., Take A Way, ASIA CCS 2020); of the lines of one set with
 * equal bits only one can stay. So places are in the middle of sixteen pages with different bits,
 * also between any two of sixteen registers: bits 16 to 23 distinguish them, and so do bits 24 to
 * 27. */
static inline uint64_t start_address(unsigned reg)
{
    return 0x10000000 + (uint64_t)reg * 0x01000000 + (reg % 16 * 16 + 8) * 4096 + reg * 1088 % 4096;
}

#endif
