/* The balanced optimal schedule: fills a smallest bottleneck evenly, removes it, and repeats
 * (nested bottlenecks, docs/design.md). Within a bottleneck it has the largest entropy of all
 * optimal schedules. It attains the bound, is unique and independent of the order of µops: the
 * displayed pressure. */
#ifndef PORTOLAN_THROUGHPUT_SCHEDULE_H
#define PORTOLAN_THROUGHPUT_SCHEDULE_H

#include "throughput/throughput.h"

/* @masses: n µops, one row each (equal sets share evenly by count). @pressure: n * ports doubles,
 * row-major, gets the cycles of row i on port j. @totals: ports doubles (may be NULL). Returns the
 * bound, 0 when @n is 0; *@bottleneck (may be NULL) gets the maximal set that attains it. At most
 * FLOW_SETS distinct sets. */
double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure,
                        double *totals, portset *bottleneck);

#endif
