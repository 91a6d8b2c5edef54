/* Usages of a chart put to the test beside each other: random experiments that took no part. */
#ifndef PORTOLAN_CHART_TRIAL_H
#define PORTOLAN_CHART_TRIAL_H

#include "chart/lab.h"

/* Measures a few experiments of each form beside random others; forms in such as the machine foretells wrongly lose confidence, the more of theirs the more. This
 * shows what no rival of a single usage does: a core that lacks ports. False with err. */
bool trial_of_usages(struct lab *lab, struct chart *c, struct err *err);

#endif
