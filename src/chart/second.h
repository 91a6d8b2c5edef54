/* Second round of a chart, for blocks that the review mispredicts. It searches for changes with
 * measurements on the CPU (hunt/hunt.h), and keeps those that improve the prediction of blocks that
 * the search did not use. */
#ifndef PORTOLAN_CHART_SECOND_H
#define PORTOLAN_CHART_SECOND_H

#include "chart/lab.h"
#include "hunt/explain.h"

/* Searches for at most lab->options->seconds, with blocks of @maker. Keeps changes of usages and
 * latencies, or alternatives (chart_form.others), that lower the mean relative error of the @count
 * blocks @seen. Does not change usages of the core, usages with confidence above 0.8, and facts. No
 * change may raise the error of the form's own experiments. A changed usage has the confidence from
 * its experiments (chart/verdict.h). Fills c->review.changes and .changed. Returns false with err
 * when the CPU fails or the chart was cancelled. */
bool second_round(struct lab *lab, struct chart *c, const struct block_maker *maker,
                  const struct judged *seen, size_t count, struct err *err);

#endif
