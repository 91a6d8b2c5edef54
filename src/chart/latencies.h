/* Latencies of a chart: each form's dependency chains, per pair of operands, as rules of the machine. */
#ifndef PORTOLAN_CHART_LATENCIES_H
#define PORTOLAN_CHART_LATENCIES_H

#include "chart/lab.h"

/* Measures the chains of all forms that the machine so far has a usage of, but for those that lab->options->latencies (a file as `latency measure` exports it) has
 * already; that file is written again as they come. The machine gets each form's latency, and rules where pairs of operands differ. False with err. */
bool latencies_find(struct lab *lab, struct chart *c, struct err *err);
/* The same rules anew, from what was measured then, once the machine has facts: what a fact says of a chain (flags that are slow to read, a store that is loaded again) no rule may say again. */
bool latencies_again(struct lab *lab, struct chart *c, struct err *err);

#endif
