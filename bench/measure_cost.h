/* Cost of measuring, and accuracy under a load of its own: parts of bench_measure. */
#ifndef PORTOLAN_BENCH_MEASURE_COST_H
#define PORTOLAN_BENCH_MEASURE_COST_H

#include "isa/forms.h"
#include "measure/source.h"

/* Prints runs and ticks of one form on a simulated idle core, compared with those of the former
 * protocol (one probe, a new start of each window), and the time of @n forms (at most 64) on this
 * CPU with probes that accept any reading, so that nothing waits. */
void measure_cost(struct source *source, const struct forms *forms,
                  const struct form_row *const *rows, size_t n);
/* Measures @n forms with no load, with a busy process on the same CPU, and, where this computer has
 * one, on its sibling, by a runner with @patience seconds; prints seconds as ratios to the first,
 * and how many values are more than 3 % off the least that two conditions agree on. */
void measure_beside_loads(struct source *source, const struct form_row *const *rows, size_t n,
                          double patience);

#endif
