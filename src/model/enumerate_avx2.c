/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,popcnt,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,popcnt,bmi,bmi2")
#endif
#include <immintrin.h>

#include "model/enumerate.h"

static inline lanes popcount(lanes v)
{
    v -= (v >> 1) & 0x55555555;
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    v += v >> 8;
    return (v + (v >> 16)) & 0x3f;
}

static inline flanes reciprocal(lanes v)
{
    return 1.0f / __builtin_convertvector(v - (v == 0), flanes);
}

static inline int first_set(lanes v)
{
    union {
        lanes all;
        __m256 half[2];
    } u = {v};
    int mask = _mm256_movemask_ps(u.half[0]) | _mm256_movemask_ps(u.half[1]) << 8;
    return mask ? __builtin_ctz((unsigned)mask) : -1;
}

#define POPCOUNT popcount
#define RECIPROCAL reciprocal
#define FIRST_SET first_set
#include "model/enumerate_body.h"

const struct engine engine_avx2 = {"avx2", subsets, zeta, recover, batch};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
