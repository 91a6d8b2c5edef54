/* The last look of a chart: random code that took no part in it, timed on the CPU and predicted from the machine that was made. */
#ifndef PORTOLAN_CHART_REVIEW_H
#define PORTOLAN_CHART_REVIEW_H

#include "chart/lab.h"

/* Draws blocks of the forms that lab->options->uses weighs. Where one of the first half is predicted wrongly there is a second round (chart/second.h); the other half, drawn
 * afterwards, fills c->review. Nothing to draw from, or a CPU that times no code, is no fault. False with err. */
bool review_blocks(struct lab *lab, struct chart *c, struct err *err);

#endif
