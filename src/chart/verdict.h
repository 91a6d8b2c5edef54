/* Records a verdict of blocks or of all its experiments on a form's usage: in source and
 * confidence. The former usage becomes an alternative, to which `experiments settle` can return. */
#ifndef PORTOLAN_CHART_VERDICT_H
#define PORTOLAN_CHART_VERDICT_H

#include "chart/chart.h"

/* Makes alternative @other of form @form (c->forms) its usage in c->machine; @take_before is the
 * former one. The confidence becomes the likelihood that experiments gave the alternative, since
 * blocks decided between them. */
void verdict_other(struct chart *c, size_t form, unsigned other, struct chart_usage *take_before);
/* Records a new usage of form @form in c->machine. @take_before, the former one, replaces the least
 * likely ambiguous alternative. The confidence is at most 0.2, since experiments do not confirm
 * it. */
void verdict_new(struct chart *c, size_t form, struct chart_usage *take_before);
/* Records a usage of form @form in c->machine with a smaller error, at most @worst (relative) with
 * the other usages of the machine. @take_before, the former one, becomes an alternative as in
 * verdict_new or replaces the equal one. The confidence is at most 0.2. */
void verdict_errs(struct chart *c, size_t form, struct chart_usage *take_before, double worst);

#endif
