/* Sixteen lanes: one AVX-512 register, two of AVX2, four of SSE2. */
#ifndef PORTOLAN_MODEL_LANES_TYPE_H
#define PORTOLAN_MODEL_LANES_TYPE_H

#include <stdint.h>

typedef int32_t lanes __attribute__((vector_size(64)));
typedef float flanes __attribute__((vector_size(64)));

#endif
