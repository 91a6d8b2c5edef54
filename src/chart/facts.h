/* Facts of a chart: each small loop determines one rule of the front or back end. AArch64 has few
 * such loops (chart/facts_parts.h). */
#ifndef PORTOLAN_CHART_FACTS_H
#define PORTOLAN_CHART_FACTS_H

#include "chart/lab.h"

/* Measures the loops and writes facts into c->machine and c->facts. An uncertain fact is marked
 * unknown and is not in the machine. False with err. */
bool facts_find(struct lab *lab, struct chart *c, struct err *err);

#endif
