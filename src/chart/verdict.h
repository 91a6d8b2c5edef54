/* What blocks, or all of its experiments together, say of a form's usage, put down where the chart
 * has what experiments say: as its source and confidence in the machine, and with the usage that it
 * had among the others, so that `experiments settle` can still return to that. */
#ifndef PORTOLAN_CHART_VERDICT_H
#define PORTOLAN_CHART_VERDICT_H

#include "chart/chart.h"

/* c->machine has other @other of form @form (c->forms) as its usage; @take_before is what it had.
 * The confidence becomes the share that experiments gave the other: blocks decided what these left
 * open. */
void verdict_other(struct chart *c, size_t form, unsigned other, struct chart_usage *take_before);
/* c->machine has a usage of form @form that nobody thought of before; @take_before, which it had,
 * takes the place of the least likely other of which there is a doubt. The confidence is 0.2 at
 * most: experiments say nothing against it, and nothing for it. */
void verdict_new(struct chart *c, size_t form, struct chart_usage *take_before);
/* c->machine has a usage of form @form that errs less in its experiments, @worst (relative) at most
 * by what the machine says of the others; @take_before, which it had, takes the place of that usage
 * among the others, or, where it is none of them, as above. The confidence is 0.2 at most. */
void verdict_errs(struct chart *c, size_t form, struct chart_usage *take_before, double worst);

#endif
