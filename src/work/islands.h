/* An inference run over several ranks (ranks/ranks.h). Each rank is an island with its own
 * population and seed. Ranks after rank 0 scale the prices. At intervals each island sends its best
 * mapping to the next island in a ring, to a random island, or to none. Rank 0 has the run that the
 * user sees. It chooses the number of ports, sends settings, and pauses and stops the islands. At
 * the end, it collects the islands' best mappings, and compares them by its own prices.
 * The islands share the population of a run on one rank, with at least two individuals each, unless
 * evolve_options.population_each is set. An individual gets as much time as in a run with the
 * threads of all ranks in one process. */
#ifndef PORTOLAN_WORK_ISLANDS_H
#define PORTOLAN_WORK_ISLANDS_H

#include "infer/evolve.h"
#include "ranks/ranks.h"

struct islands;

/* Reserves the other ranks for a run with @o, and divides its population if it is shared. Called by
 * rank 0. Returns false, with nothing changed, if there are no other ranks, if they are busy, or if
 * the algorithm has no islands (pmevo). */
bool islands_reserve(struct evolve_options *o);
/* Sends the run to the other ranks. Called by rank 0 after islands_reserve. @o and @from are those
 * of rank 0's run and are copied. */
struct islands *islands_start(const struct problem *p, const struct evolve_options *o,
                              struct genome *const *from, size_t count);
/* Receives messages for @e and sends pending messages. A thread of the run calls it several times
 * per second. */
void islands_poll(struct islands *is, struct evolve *e);
/* Waits for the other islands, receives their results, frees @is and releases the ranks. Called by
 * rank 0 after its own part, on any thread. Stops the islands when @over returns true, or at once
 * if @over is NULL. */
void islands_gather(struct islands *is, struct evolve *e, bool (*over)(const void *),
                    const void *state);
/* Does this rank's part of the run that @start describes. Called by ranks other than 0. */
void islands_serve(const struct rank_message *start);

#endif
