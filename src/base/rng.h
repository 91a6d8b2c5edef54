/* Pseudorandom numbers from a seed, the same on every machine (xoshiro256**, Blackman & Vigna
 * 2018). */
#ifndef PORTOLAN_BASE_RNG_H
#define PORTOLAN_BASE_RNG_H
#include <stdint.h>
struct rng { uint64_t state[4]; };
void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
/* Returns a uniform number in [0, bound), without modulo bias; @bound must be positive. */
uint64_t rng_below(struct rng *rng, uint64_t bound);
/* Returns a uniform number in [0, 1). */
double rng_unit(struct rng *rng);
#endif
