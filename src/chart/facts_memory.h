/* Facts of memory that hits the first level: loads and stores a cycle, banks, lines, the stack pointer. Parts of chart/facts.h. */
#ifndef PORTOLAN_CHART_FACTS_MEMORY_H
#define PORTOLAN_CHART_FACTS_MEMORY_H

#include "chart/probes.h"

struct memory_probes;
/* Adds the loops to @p. */
struct memory_probes *memory_probes_ask(struct probes *p);
/* Tells what their times say. */
void memory_probes_conclude(struct probes *p, const struct memory_probes *m);
void memory_probes_free(struct memory_probes *m);

#endif
