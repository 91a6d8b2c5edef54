/* Facts of what rename does with an address that has an index, and with flags that it reads at once. Parts of chart/facts.h. */
#ifndef PORTOLAN_CHART_FACTS_RENAME_H
#define PORTOLAN_CHART_FACTS_RENAME_H

#include "chart/probes.h"

struct rename_probes;
/* Adds the loops to @p. */
struct rename_probes *rename_probes_ask(struct probes *p);
/* Tells what their times say. */
void rename_probes_conclude(struct probes *p, const struct rename_probes *r);
void rename_probes_free(struct rename_probes *r);

#endif
