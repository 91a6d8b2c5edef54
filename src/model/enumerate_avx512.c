/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,fma,popcnt,bmi,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,fma,popcnt,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#include "model/enumerate.h"

static const float RECIPROCALS[32] = {
    1.0f,      1 / 2.0f,  1 / 3.0f,  1 / 4.0f,  1 / 5.0f,  1 / 6.0f,  1 / 7.0f,  1 / 8.0f,  1 / 9.0f,  1 / 10.0f, 1 / 11.0f,
    1 / 12.0f, 1 / 13.0f, 1 / 14.0f, 1 / 15.0f, 1 / 16.0f, 1 / 17.0f, 1 / 18.0f, 1 / 19.0f, 1 / 20.0f, 1 / 21.0f, 1 / 22.0f,
    1 / 23.0f, 1 / 24.0f, 1 / 25.0f, 1 / 26.0f, 1 / 27.0f, 1 / 28.0f, 1 / 29.0f, 1 / 30.0f, 1 / 31.0f, 1 / 32.0f,
};

static inline lanes popcount(lanes v)
{
    return (lanes)_mm512_popcnt_epi32((__m512i)v);
}

static inline flanes reciprocal(lanes v)
{
    /* Index v - 1 modulo 32. */
    __m512i index = (__m512i)(v - 1);
    return (flanes)_mm512_permutex2var_ps(_mm512_loadu_ps(RECIPROCALS), index, _mm512_loadu_ps(RECIPROCALS + 16));
}

static inline int first_set(lanes v)
{
    unsigned mask = _mm512_test_epi32_mask((__m512i)v, (__m512i)v);
    return mask ? __builtin_ctz(mask) : -1;
}

#define POPCOUNT popcount
#define RECIPROCAL reciprocal
#define FIRST_SET first_set
#include "model/enumerate_body.h"

const struct engine engine_avx512 = {"avx512", subsets, zeta, recover, batch};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
