/* The balanced optimal schedule: fill a smallest bottleneck evenly, remove it, repeat on the rest
 * (nested bottlenecks, docs/design.md). Within a bottleneck it is the optimal schedule of largest
 * entropy. It attains the bound, is unique and does not depend on the order of the µops: the
 * pressure that is shown. */
#ifndef PORTOLAN_THROUGHPUT_SCHEDULE_H
#define PORTOLAN_THROUGHPUT_SCHEDULE_H

#include "throughput/throughput.h"

/* @masses: n µops, one row each (the same set may repeat: rows of equal sets share evenly by
 * count). @pressure: n * ports doubles, row-major, filled with cycles of row i on port j. @totals:
 * ports doubles (may be NULL). Returns the bound, 0 when @n is 0; *@bottleneck (may be NULL) gets
 * the maximal set that attains it. At most FLOW_SETS distinct sets. Any thread. */
double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure,
                        double *totals, portset *bottleneck);

#endif
