/* Operations that the scheduler tries before their input is there: each such try takes a slot of a
 * port, and the operation is tried again. */
#ifndef PORTOLAN_ANALYSIS_REPLAYS_H
#define PORTOLAN_ANALYSIS_REPLAYS_H

#include "analysis/deps.h"

#define REPLAY_SLOT 100   /* a slot of a port, as masses of tries count */

/* Replays of one iteration. Reused between calls; zero-initialised at first. */
struct replays {
    /* loads whose address another load makes, alone or with up to load_replays_through
     * operations */
    uint32_t fed;
    /* of such loads that wait, over one or several others, for the same load */
    uint32_t pairs;
    /* cycles that chains of one operation take longer, as operations that wait for them crowd */
    double crowded;
    /* cycles of vector loads that scalar ones and stores come between; 0: none, or not known */
    double mixed;
    /* of computing operations (fact alu_replays), by their ports, in hundredths of a slot */
    struct mass *tries;
    size_t count, capacity;
};

/* Fills @out from the dependences @d of the same block; all 0 if the machine has no such facts. */
void replays_find(const struct core *c, const struct insn *insns, const struct costs *costs,
                  const struct deps *d, struct replays *out);
void replays_done(struct replays *r);

#endif
