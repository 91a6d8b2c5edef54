/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,fma,popcnt,bmi,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,fma,popcnt,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define VECTOR_BYTES 64
#include "throughput/lanes.h"

/* 1 / (i + 1) */
static const float RECIPROCALS[32] = {
    1.0f,      1 / 2.0f,  1 / 3.0f,  1 / 4.0f,  1 / 5.0f,  1 / 6.0f,  1 / 7.0f,  1 / 8.0f,
    1 / 9.0f,  1 / 10.0f, 1 / 11.0f, 1 / 12.0f, 1 / 13.0f, 1 / 14.0f, 1 / 15.0f, 1 / 16.0f,
    1 / 17.0f, 1 / 18.0f, 1 / 19.0f, 1 / 20.0f, 1 / 21.0f, 1 / 22.0f, 1 / 23.0f, 1 / 24.0f,
    1 / 25.0f, 1 / 26.0f, 1 / 27.0f, 1 / 28.0f, 1 / 29.0f, 1 / 30.0f, 1 / 31.0f, 1 / 32.0f,
};

static inline flanes larger(flanes a, flanes b)
{
    return (flanes)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline shorts larger_shorts(shorts a, shorts b)
{
    return (shorts)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

static inline float largest(flanes v)
{
    return _mm512_reduce_max_ps((__m512)v);
}

static inline flanes sizes_ratio(lanes mass, lanes sets)
{
    /* The index is taken modulo 32. Empty sets, which have no mass, read 1 / 32. */
    __m512i index = (__m512i)((lanes)_mm512_popcnt_epi32((__m512i)sets) - 1);
    __m512 reciprocals = _mm512_permutex2var_ps(_mm512_loadu_ps(RECIPROCALS), index,
                                                _mm512_loadu_ps(RECIPROCALS + 16));
    return as_floats(mass) * (flanes)reciprocals;
}

#include "throughput/lanes_exact.h"
#include "throughput/lanes_float.h"

const struct engine engine_avx512 = {
    "avx512", subsets, zeta, LANES, 1.8, 1.9, {"avx512", table_fill, table_cycles, table_errors}};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
