/* Facts of the groups in which rename takes instructions: which take no last slot of one, and whether those of several slots are parted. Parts of chart/facts.h. */
#ifndef PORTOLAN_CHART_FACTS_GROUPS_H
#define PORTOLAN_CHART_FACTS_GROUPS_H

#include "chart/probes.h"

struct group_probes;
/* Adds the loops to @p. */
struct group_probes *group_probes_ask(struct probes *p);
/* Tells what their times say. */
void group_probes_conclude(struct probes *p, const struct group_probes *g);
void group_probes_free(struct group_probes *g);

#endif
