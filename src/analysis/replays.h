/* Replays: an operation that is scheduled before its input is ready takes a port slot and is
 * scheduled again. */
#ifndef PORTOLAN_ANALYSIS_REPLAYS_H
#define PORTOLAN_ANALYSIS_REPLAYS_H

#include "analysis/deps.h"

#define REPLAY_SLOT 100   /* one port slot, in units of the masses in replays.tries */

/* Replays per iteration. Reused between calls and zero-initialised by the caller. */
struct replays {
    /* loads whose address depends on a load, with up to load_replays_through operations between
     * them */
    uint32_t fed;
    /* pairs of loads in one dependence tree of loads */
    uint32_t pairs;
    /* cycles by which competing readers lengthen chains of one operation */
    double crowded;
    /* cycles of vector loads interleaved with scalar loads and stores; 0: none or unknown */
    double mixed;
    /* replays of computing operations (fact alu_replays) by ports, hundredths of a slot */
    struct mass *tries;
    size_t count, capacity;
};

/* Fills @out from the dependences @d of the same block. All members are 0 if the machine lacks the
 * facts. */
void replays_find(const struct core *c, const struct insn *insns, const struct costs *costs,
                  const struct deps *d, struct replays *out);
void replays_done(struct replays *r);

#endif
