/* Seeded random numbers, the same on every machine (xoshiro256**, Blackman & Vigna 2018). */
#ifndef PORTOLAN_BASE_RNG_H
#define PORTOLAN_BASE_RNG_H
#include <stdint.h>
struct rng { uint64_t state[4]; };
void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
/* Uniform in [0, bound), bound > 0, without modulo bias. */
uint64_t rng_below(struct rng *rng, uint64_t bound);
/* Uniform in [0, 1). */
double rng_unit(struct rng *rng);
#endif
