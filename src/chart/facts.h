/* Facts of a chart: each small loop determines one rule of the front or back end. On AArch64 a few
 * (chart/facts_parts.h). */
#ifndef PORTOLAN_CHART_FACTS_H
#define PORTOLAN_CHART_FACTS_H

#include "chart/lab.h"

/* Times the loops and writes the facts into c->machine and c->facts. A fact without a certain value
 * is unknown there, and not in the machine. False with err. */
bool facts_find(struct lab *lab, struct chart *c, struct err *err);

#endif
