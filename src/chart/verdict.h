/* Records that blocks, or all experiments of a form, decided the form's usage. The former usage
 * becomes an alternative, which `experiments settle` can restore. */
#ifndef PORTOLAN_CHART_VERDICT_H
#define PORTOLAN_CHART_VERDICT_H

#include "chart/chart.h"

/* Makes alternative @other the usage of form @form (index in c->forms) in c->machine. @take_before
 * is the former usage. The confidence becomes the probability that experiments assigned to the
 * alternative, because only blocks decided between the two. */
void verdict_other(struct chart *c, size_t form, unsigned other, struct chart_usage *take_before);
/* Records a new usage of form @form in c->machine. @take_before, the former usage, replaces the
 * least likely alternative that has an ambiguity. Limits the confidence to 0.2, because
 * experiments do not confirm the usage. */
void verdict_new(struct chart *c, size_t form, struct chart_usage *take_before);
/* Records that the usage of form @form in c->machine is the most probable one given all its
 * experiments. @worst: largest relative error of these experiments. */
void verdict_likeliest(struct chart *c, size_t form, double worst);

#endif
