/* Operations that are scheduled before their input is ready: each attempt takes a port slot, and
 * the operation is replayed. */
#ifndef PORTOLAN_ANALYSIS_REPLAYS_H
#define PORTOLAN_ANALYSIS_REPLAYS_H

#include "analysis/deps.h"

#define REPLAY_SLOT 100   /* one port slot, in units of the masses of replays */

/* Replays per iteration. Reused between calls; zero-initialised at first. */
struct replays {
    /* loads whose address depends on a load through up to load_replays_through operations */
    uint32_t fed;
    /* loads that wait for the same load through others */
    uint32_t pairs;
    /* cycles by which competing readers lengthen chains of one operation */
    double crowded;
    /* cycles of vector loads interleaved with scalar loads and stores; 0: none or unknown */
    double mixed;
    /* replays of computing operations (fact alu_replays) by ports, hundredths of a slot */
    struct mass *tries;
    size_t count, capacity;
};

/* Fills @out from the dependences @d of the same block; all 0 if the machine lacks these facts. */
void replays_find(const struct core *c, const struct insn *insns, const struct costs *costs,
                  const struct deps *d, struct replays *out);
void replays_done(struct replays *r);

#endif
