/* A run of inference over several ranks (ranks/ranks.h). Each is an island with its own population
 * and seed and, except on rank 0, slightly different prices. At intervals each sends its best
 * mapping to the next in a ring, or to a random one. Rank 0 has the visible run. It determines the
 * number of ports, passes on settings, pauses and stops, and finally takes every other island's
 * best, by its own prices.
 *
 * The population is divided: all islands together have as many individuals as a run on one rank,
 * but two each at least. Each individual gets the time that it would get in a run with the threads
 * of all ranks. */
#ifndef PORTOLAN_WORK_ISLANDS_H
#define PORTOLAN_WORK_ISLANDS_H

#include "infer/evolve.h"
#include "ranks/ranks.h"

struct islands;

/* Rank 0: reserves the other ranks for a run with @o, and divides its population if it is shared.
 * False, and nothing has changed, when there are none, they are busy, or the algorithm has no
 * islands (pmevo). */
bool islands_reserve(struct evolve_options *o);
/* Rank 0, after islands_reserve: hands the run to the others. @o and @from are those of its own
 * run; all is copied. */
struct islands *islands_start(const struct problem *p, const struct evolve_options *o,
                              struct genome *const *from, size_t count);
/* A thread of the run, some times a second: receives messages for @e, sends what is due. */
void islands_poll(struct islands *is, struct evolve *e);
/* Rank 0, when its own part has ended, on any thread: waits for the others, stops them once @over
 * returns true (NULL: at once), takes their results and frees @is; the ranks are free again. */
void islands_gather(struct islands *is, struct evolve *e, bool (*over)(const void *),
                    const void *state);
/* Another rank: does its part of the run that @start begins. */
void islands_serve(const struct rank_message *start);

#endif
