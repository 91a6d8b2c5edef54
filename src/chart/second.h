/* The second round of a chart, for blocks that the review mispredicts. It hunts for changes on the
 * CPU (hunt/hunt.h), and keeps those that improve the prediction of held-out blocks. */
#ifndef PORTOLAN_CHART_SECOND_H
#define PORTOLAN_CHART_SECOND_H

#include "chart/lab.h"
#include "hunt/explain.h"

/* Hunts for lab->options->seconds at most, with blocks of @maker. Keeps the changes of usages and
 * latencies on c->machine, or of equally likely usages (chart_form.others), that lower the mean
 * relative error of the @count blocks @seen. Usages of the core and those with confidence above 0.8
 * stay. No other may raise the error of the form's own experiments. Facts stay. A changed usage
 * gets the confidence that experiments leave it (chart/verdict.h). Fills c->review.changes and
 * .changed. False with err when the CPU fails or the chart was cancelled. */
bool second_round(struct lab *lab, struct chart *c, const struct block_maker *maker,
                  const struct judged *seen, size_t count, struct err *err);

#endif
