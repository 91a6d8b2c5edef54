/* Sixteen lanes of floats: one AVX-512 register, two of AVX2, four of SSE2. To be included below the choice of an instruction set. */
#ifndef PORTOLAN_INFER_SCORE_LANES_H
#define PORTOLAN_INFER_SCORE_LANES_H

#include <stdint.h>

typedef int32_t lanes __attribute__((vector_size(64)));
typedef float flanes __attribute__((vector_size(64)));

static inline flanes larger(flanes a, flanes b)
{
    lanes mask = a > b;
    return (flanes)(((lanes)a & mask) | ((lanes)b & ~mask));
}

static inline float largest(flanes v)
{
    v = larger(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = larger(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return v[0];
}

#endif
