/* A run of inference over several ranks (ranks/ranks.h). Each is an island with its own population
 * and seed and, except rank 0, slightly different prices. At intervals each sends its best mapping
 * to the next in a ring, or to a random one. Rank 0 has the visible run: it determines the number
 * of ports, passes on settings, pauses and stops, and finally takes every other island's best, by
 * its own prices. The islands divide the population of a run on one rank, with at least two
 * individuals each. Each individual gets the time that it would get with the threads of all
 * ranks. */
#ifndef PORTOLAN_WORK_ISLANDS_H
#define PORTOLAN_WORK_ISLANDS_H

#include "infer/evolve.h"
#include "ranks/ranks.h"

struct islands;

/* Called by rank 0: reserves the other ranks for a run with @o, and divides its population if it is
 * shared. False, with nothing changed, when there are none, they are busy, or the algorithm has no
 * islands (pmevo). */
bool islands_reserve(struct evolve_options *o);
/* Called by rank 0 after islands_reserve: sends the run to the others. @o and @from are those of
 * its own run; everything is copied. */
struct islands *islands_start(const struct problem *p, const struct evolve_options *o,
                              struct genome *const *from, size_t count);
/* Called by a thread of the run several times per second: receives messages for @e, sends what is
 * due. */
void islands_poll(struct islands *is, struct evolve *e);
/* Called by rank 0 after its own part, on any thread: waits for the others, stops them once @over
 * returns true (NULL: at once), takes their results and frees @is; releases the ranks. */
void islands_gather(struct islands *is, struct evolve *e, bool (*over)(const void *),
                    const void *state);
/* Called by another rank: does its part of the run that @start describes. */
void islands_serve(const struct rank_message *start);

#endif
