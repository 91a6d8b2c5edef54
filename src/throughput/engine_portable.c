/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engine for any processor, with 16-byte vectors. The compiler emulates them if the processor has
 * none. */
#define VECTOR_BYTES 16
#include "throughput/lanes.h"

#ifdef __SSE2__
#include <emmintrin.h>

static inline flanes larger(flanes a, flanes b)
{
    return (flanes)_mm_max_ps((__m128)a, (__m128)b);
}

static inline shorts larger_shorts(shorts a, shorts b)
{
    return (shorts)_mm_max_epi16((__m128i)a, (__m128i)b);
}
#else
static inline flanes larger(flanes a, flanes b)
{
    lanes mask = (lanes)(a > b);
    return (flanes)(((lanes)a & mask) | ((lanes)b & ~mask));
}

static inline shorts larger_shorts(shorts a, shorts b)
{
    shorts mask = (shorts)(a > b);
    return (a & mask) | (b & ~mask);
}
#endif

static inline float largest(flanes v)
{
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
    return v[0];
}

static inline flanes sizes_ratio(lanes mass, lanes sets)
{
    sets -= (sets >> 1) & 0x55555555;
    sets = (sets & 0x33333333) + ((sets >> 2) & 0x33333333);
    sets = (sets + (sets >> 4)) & 0x0f0f0f0f;
    sets += sets >> 8;
    sets = (sets + (sets >> 16)) & 0x3f;
    /* An empty set has no mass, so any size except 0 is valid. */
    sets -= (lanes)(sets == 0);
    return as_floats(mass) / as_floats(sets);
}

#include "throughput/lanes_exact.h"
#include "throughput/lanes_float.h"

const struct engine engine_portable = {"portable",
                                       subsets,
                                       zeta,
                                       LANES,
                                       3.0,
                                       1.15,
                                       {"portable", table_fill, table_cycles, table_errors}};
