/* Vectors of floats as wide as the including file says (SCORE_BYTES: 16, 32 or 64), below its choice of an instruction set. */
#ifndef PORTOLAN_INFER_SCORE_LANES_H
#define PORTOLAN_INFER_SCORE_LANES_H

#include <stdint.h>

#define SCORE_LANES (SCORE_BYTES / 4)
typedef int32_t lanes __attribute__((vector_size(SCORE_BYTES)));
typedef float flanes __attribute__((vector_size(SCORE_BYTES)));

static inline flanes larger(flanes a, flanes b)
{
    lanes mask = a > b;
    return (flanes)(((lanes)a & mask) | ((lanes)b & ~mask));
}

static inline float largest(flanes v)
{
#if SCORE_BYTES == 64
    v = larger(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = larger(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
#elif SCORE_BYTES == 32
    v = larger(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
#else
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#endif
    return v[0];
}

#endif
