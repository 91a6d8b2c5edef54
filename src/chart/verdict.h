/* Records the verdict of blocks, or of all its experiments together, on a form's usage: in its
 * source and confidence, and with the former usage among the others, so that `experiments settle`
 * can return to it. */
#ifndef PORTOLAN_CHART_VERDICT_H
#define PORTOLAN_CHART_VERDICT_H

#include "chart/chart.h"

/* c->machine has other @other of form @form (c->forms) as its usage; @take_before is its former
 * one. The confidence becomes the share that experiments gave the other: blocks decided between
 * these. */
void verdict_other(struct chart *c, size_t form, unsigned other, struct chart_usage *take_before);
/* Records a new usage of form @form in c->machine. @take_before, the former one, replaces the least
 * likely ambiguous other. The confidence is 0.2 at most: experiments neither contradict nor confirm
 * it. */
void verdict_new(struct chart *c, size_t form, struct chart_usage *take_before);
/* Records a usage of form @form in c->machine with a smaller error, @worst (relative) at most given
 * the machine's other usages. @take_before, the former one, replaces it among the others, or else
 * as above. The confidence is 0.2 at most. */
void verdict_errs(struct chart *c, size_t form, struct chart_usage *take_before, double worst);

#endif
