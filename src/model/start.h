/* Values with which Portolan runs a block that it measures: what addresses must be known for. */
#ifndef PORTOLAN_MODEL_START_H
#define PORTOLAN_MODEL_START_H

#include <stdint.h>

/* What memory is full of: a pointer that can be mapped, small enough as a number. */
#define START_MEMORY 0x12345600

/* Where operands relative to the program counter lie, each at the beginning of a line of its own: of its addresses only the place within the line is meant. */
#define START_RELATIVE 0x70000000
#define START_RELATIVE_LINE 64

/* What fs and gs add, likewise: the thread's block begins at a line. */
#define START_SEGMENT 0x60000000

/* The address that general register @reg begins with: a page of its own, at its own offset. Index registers begin with 0. */
static inline uint64_t start_address(unsigned reg)
{
    return 0x10000000 + (uint64_t)reg * (0x01000000 + 1088);
}

#endif
