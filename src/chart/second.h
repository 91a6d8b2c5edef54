/* The second round of a chart, where the error of its last look points: what mends the blocks that
 * are predicted wrongly is hunted for on the CPU (hunt/hunt.h), and kept where blocks that the hunt
 * never saw are predicted better with it. */
#ifndef PORTOLAN_CHART_SECOND_H
#define PORTOLAN_CHART_SECOND_H

#include "chart/lab.h"
#include "hunt/explain.h"

/* Hunts for lab->options->seconds at most, with blocks of @maker, and makes those changes of usages
 * and latencies on c->machine, or takes those of the usages about as likely (chart_form.others),
 * that lower the mean relative error of the @count blocks @seen. Usages of the core and such with
 * confidence above 0.8 stay, and no other may say worse of the form's own experiments; facts stay
 * as the loops told them. A usage that changes gets the confidence that experiments leave it
 * (chart/verdict.h). Fills c->review.changes and .changed. False with err when the CPU fails or the
 * chart was cancelled. */
bool second_round(struct lab *lab, struct chart *c, const struct block_maker *maker,
                  const struct judged *seen, size_t count, struct err *err);

#endif
