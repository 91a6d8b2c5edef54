/* Replays: an operation that is scheduled before its input is ready takes a port slot, and is
 * scheduled again. */
#ifndef PORTOLAN_ANALYSIS_REPLAYS_H
#define PORTOLAN_ANALYSIS_REPLAYS_H

#include "analysis/deps.h"

#define REPLAY_SLOT 100   /* value of replays.tries that represents one port slot */

/* Replays per iteration, reused between calls. The caller initialises the struct to zero. */
struct replays {
    /* number of loads whose address depends on another load through at most load_replays_through
     * operations */
    uint32_t fed;
    /* number of pairs of loads that depend on the same first load */
    uint32_t pairs;
    /* cycles by which readers lengthen chains of one operation */
    double crowded;
    /* cycles of vector loads among other accesses; 0: none or unknown */
    double mixed;
    /* replays of computing operations (fact alu_replays) and slots lost in conflicts
     * (port_conflicts) by ports, in hundredths of a slot */
    struct mass *tries;
    size_t count, capacity;
};

/* Fills @out from the dependences @d of the same block. All members are 0 if the machine lacks the
 * facts. They are too small when cancelled. */
void replays_find(const struct core *c, const struct insn *insns, const struct costs *costs,
                  const struct deps *d, struct replays *out);
void replays_done(struct replays *r);

#endif
