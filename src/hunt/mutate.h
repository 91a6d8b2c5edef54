/* Mutates blocks by a change or two, to search the neighbourhood of an error. One thread per
 * maker. */
#ifndef PORTOLAN_HUNT_MUTATE_H
#define PORTOLAN_HUNT_MUTATE_H

#include "hunt/blocks.h"

/* @from with one or two of: an instruction replaced by one that does the same, another register,
 * another offset, an instruction put in, taken out, two exchanged.
 * @from must be of @m. */
void block_mutate(const struct block_maker *m, const struct random_block *from, struct rng *rng,
                  struct random_block *out);

#endif
