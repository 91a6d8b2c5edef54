/* Facts of stores that are loaded again: what forwarding takes, and which stores rename finds, through which registers, by which loads and widths. Parts of chart/facts.h. */
#ifndef PORTOLAN_CHART_FACTS_FORWARD_H
#define PORTOLAN_CHART_FACTS_FORWARD_H

#include "chart/probes.h"

struct forward_probes;
/* Adds the loops to @p. */
struct forward_probes *forward_probes_ask(struct probes *p);
/* Tells what their times say; stores_per_cycle must have been told. */
void forward_probes_conclude(struct probes *p, const struct forward_probes *f);
void forward_probes_free(struct forward_probes *f);

#endif
