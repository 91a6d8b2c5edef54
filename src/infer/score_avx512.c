/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,popcnt,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,fma,popcnt,bmi,bmi2,prefer-vector-width=512")
#endif
#define SCORE_BYTES 64
#include "infer/score_body.h"

const struct score_engine score_avx512 = {"avx512", score_table, score_cycles, score_form};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
