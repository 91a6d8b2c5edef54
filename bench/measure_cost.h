/* Parts of bench_measure: the cost of measuring, and the accuracy under load by other processes of
 * the benchmark. */
#ifndef PORTOLAN_BENCH_MEASURE_COST_H
#define PORTOLAN_BENCH_MEASURE_COST_H

#include "isa/forms.h"
#include "measure/source.h"

/* Prints runs and ticks of one form on a simulated idle core, compared with the former protocol
 * (one probe, each window started separately). Prints the time of @n forms (at most 64) on this CPU
 * with probes that accept every reading, which avoids waits. */
void measure_cost(struct source *source, const struct forms *forms,
                  const struct form_row *const *rows, size_t n);
/* Measures @n forms by a runner with @patience seconds: without load, with a busy process on the
 * same CPU, and with one on its sibling thread if there is one. Prints seconds as ratios to the
 * first, and the number of values more than 3 % above the smallest on which two conditions
 * agree. */
void measure_under_load(struct source *source, const struct form_row *const *rows, size_t n,
                        double patience);

#endif
