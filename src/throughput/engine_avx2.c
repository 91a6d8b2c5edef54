/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,popcnt,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,popcnt,bmi,bmi2")
#endif
#include <immintrin.h>

#define VECTOR_BYTES 32
#include "throughput/lanes.h"

static inline flanes larger(flanes a, flanes b)
{
    return (flanes)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline shorts larger_shorts(shorts a, shorts b)
{
    return (shorts)_mm256_max_epi16((__m256i)a, (__m256i)b);
}

static inline float largest(flanes v)
{
    __m128 half =
        _mm_max_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

static inline flanes sizes_ratio(lanes mass, lanes sets)
{
    /* Counts the bits of each byte by a table of nibbles, and adds the four bytes of a lane. */
    const __m256i nibbles = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                             1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i bytes = _mm256_add_epi8(
        _mm256_shuffle_epi8(nibbles, _mm256_and_si256((__m256i)sets, low)),
        _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi16((__m256i)sets, 4), low)));
    __m256i sizes =
        _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
    /* Empty sets have no mass. Any size except 0 is valid. */
    sizes = _mm256_max_epi32(sizes, _mm256_set1_epi32(1));
    return as_floats(mass) / (flanes)_mm256_cvtepi32_ps(sizes);
}

#include "throughput/lanes_exact.h"
#include "throughput/lanes_float.h"

const struct engine engine_avx2 = {
    "avx2", subsets, zeta, LANES, 1.95, 1.05, {"avx2", table_fill, table_cycles, table_errors}};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
