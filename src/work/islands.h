/* A run of inference over several ranks (ranks/ranks.h): each is an island with a population of its
 * own, a seed of its own and, but for rank 0, prices that differ a little. At intervals each sends
 * its best mapping to the next in a ring, or to a random one. Rank 0 has the run that is seen: it
 * settles the number of ports, passes on what is set, paused or stopped, and in the end takes every
 * other island's best, by its own prices.
 *
 * The population is divided: all islands together have as many individuals as a run on one rank,
 * but two each at least, and each gets the time of all threads of all ranks that an individual of a
 * run with as many threads would get. */
#ifndef PORTOLAN_WORK_ISLANDS_H
#define PORTOLAN_WORK_ISLANDS_H

#include "infer/evolve.h"
#include "ranks/ranks.h"

struct islands;

/* Rank 0: reserves the other ranks for a run with @o, and divides its population, where it is not
 * each one's. False, and nothing has changed, when there are none, when they are busy, or when the
 * algorithm knows no islands (pmevo). */
bool islands_reserve(struct evolve_options *o);
/* Rank 0, after islands_reserve: hands the run to the others. @o and @from are what its own run was
 * made with; all is copied. */
struct islands *islands_start(const struct problem *p, const struct evolve_options *o,
                              struct genome *const *from, size_t count);
/* A thread of the run, some times a second: takes what came for @e, sends what is due. */
void islands_poll(struct islands *is, struct evolve *e);
/* Rank 0, when its own part has ended, on any thread: waits for the others, tells them to stop as
 * soon as @over says so (NULL: at once), takes what they found and frees @is; the ranks are free
 * again. */
void islands_gather(struct islands *is, struct evolve *e, bool (*over)(const void *),
                    const void *state);
/* Another rank: does its part of the run that @start begins. */
void islands_serve(const struct rank_message *start);

#endif
