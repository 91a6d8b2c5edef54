/* Vector types of VECTOR_BYTES bytes, for one engine file. The _any types have no alignment. */
#include "throughput/engine.h"

#define LANES (VECTOR_BYTES / 4)
#define SHORTS (VECTOR_BYTES / 2)
#define LOW_UOPS (VECTOR_BYTES == 64 ? 4 : VECTOR_BYTES == 32 ? 3 : 2)
#define LOW_PORTS (LOW_UOPS + 1)
_Static_assert(VECTOR_BYTES == 16 || VECTOR_BYTES == 32 || VECTOR_BYTES == 64,
               "16, 32 or 64 bytes");

/* unsigned, because sums may overflow; the check of the mass rejects these sums */
typedef uint32_t lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ilanes __attribute__((vector_size(VECTOR_BYTES)));
typedef float flanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t shorts __attribute__((vector_size(VECTOR_BYTES), may_alias));
/* the same types in memory: aligned to the vector, or with any alignment */
typedef uint32_t lanes_aligned __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float flanes_aligned __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint32_t lanes_any __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef float flanes_any __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef uint16_t shorts_any __attribute__((vector_size(VECTOR_BYTES), aligned(2), may_alias));

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

/* Converts to floats. Values must be below 2^31, because processors convert signed integers. */
static inline flanes as_floats(lanes v)
{
    return __builtin_convertvector((ilanes)v, flanes);
}
