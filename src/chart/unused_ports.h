/* Ports that were thought of while a CPU was charted, and that nothing takes in the end: the pipe of a form that got another usage afterwards. */
#ifndef PORTOLAN_CHART_UNUSED_PORTS_H
#define PORTOLAN_CHART_UNUSED_PORTS_H

#include "chart/chart.h"

/* Takes the ports out of @c's machine that neither one of its usages holds nor one that an open doubt may still put there; the others keep their names and their order. Other usages of forms
 * that need one of those go, too. */
void unused_ports_drop(struct chart *c);

#endif
