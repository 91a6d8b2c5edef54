/* SPDX-License-Identifier: 0BSD */
/* Bins of reuse distances in traces. Each distance below REUSE_BIN_EXACT has its own bin. Larger
 * distances have eight bins per octave, and first uses have the last bin. */
#ifndef PORTOLAN_PROGRAM_RUNTIME_BINS_H
#define PORTOLAN_PROGRAM_RUNTIME_BINS_H

#include <stdint.h>

#define REUSE_BIN_EXACT 16u
#define REUSE_BIN_OCTAVES 36u        /* number of octaves from REUSE_BIN_EXACT to 2^40 lines */
#define REUSE_BINS (REUSE_BIN_EXACT + 8 * REUSE_BIN_OCTAVES + 1)
#define REUSE_BIN_COLD (REUSE_BINS - 1)

/* Returns the bin of @distance; UINT64_MAX: a first use. */
static inline unsigned reuse_bin_of(uint64_t distance)
{
    if (distance < REUSE_BIN_EXACT)
        return (unsigned)distance;
    if (distance == UINT64_MAX)
        return REUSE_BIN_COLD;
    unsigned octave = 63u - (unsigned)__builtin_clzll(distance);
    unsigned bin = REUSE_BIN_EXACT + 8 * (octave - 4) + (unsigned)(distance >> (octave - 3) & 7);
    return bin < REUSE_BIN_COLD ? bin : REUSE_BIN_COLD - 1;
}

#endif
