/* Facts of loads, by small loops: what takes an address to its value, by how the address is written, and which loads are tried again, so that they take part of the loads per
 * cycle twice (load_replays, forward_replays). One thread. */
#ifndef PORTOLAN_CHART_FACTS_LOADS_H
#define PORTOLAN_CHART_FACTS_LOADS_H

#include "chart/probes.h"

struct load_probes;

/* Adds the loops. Free with load_probes_free. */
struct load_probes *load_probes_ask(struct probes *p);
/* What they say, once they were timed; after what memory_probes_conclude says of loads per cycle, and forward_probes_conclude of what rename finds. */
void load_probes_conclude(struct probes *p, const struct load_probes *l);
void load_probes_free(struct load_probes *l);

#endif
