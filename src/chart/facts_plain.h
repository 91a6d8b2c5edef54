/* Facts of a set whose operations do not access memory, by the few loops that are known for it. */
#ifndef PORTOLAN_CHART_FACTS_PLAIN_H
#define PORTOLAN_CHART_FACTS_PLAIN_H

#include "chart/probes.h"

/* Tells each fact that a loop tells, and names the others as unknown. False with err. */
bool plain_facts_find(struct probes *p, struct err *err);

#endif
