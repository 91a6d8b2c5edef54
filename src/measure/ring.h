/* Order of the elements of a ring: a permutation that prefetchers do not predict. Internal to
 * measure/. */
#ifndef PORTOLAN_MEASURE_RING_H
#define PORTOLAN_MEASURE_RING_H

#include <stdint.h>

#include "measure/bare.h"

#define RING_PRIMES 420          /* product 4 * 3 * 5 * 7 */
#define RING_ADDED 2654435761u   /* increment of the permutation; a prime */

/* Returns the successor of element @i in a ring of @places elements, where @places must be 4 to 7
 * times a power of two. The successors visit all elements: the multiplier minus one is a multiple
 * of 4 and of each prime factor of @places. The increment shares no prime factor with @places (Hull
 * and Dobell, 1962). */
BARE_INLINE uint64_t ring_next(uint64_t i, uint64_t places)
{
    uint64_t factor = (places * 3 / 8 / RING_PRIMES * RING_PRIMES + RING_PRIMES + 1) % places;
    return (i * factor + RING_ADDED % places) % places;
}

#endif
