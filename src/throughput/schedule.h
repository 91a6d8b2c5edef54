/* The balanced optimal schedule. Loads a smallest bottleneck evenly, removes it, and repeats
 * (nested bottlenecks, docs/design.md). Within a bottleneck it has the largest entropy of all
 * optimal schedules. It attains the bound, is unique and independent of the order of µops. It is
 * the displayed pressure. */
#ifndef PORTOLAN_THROUGHPUT_SCHEDULE_H
#define PORTOLAN_THROUGHPUT_SCHEDULE_H

#include "throughput/throughput.h"

/* Computes the schedule of @n @masses, one row each; equal sets share evenly by count. @pressure
 * gets n * ports doubles in row-major order: the cycles of row i on port j. @totals (may be NULL)
 * gets the cycles per port, and *@bottleneck (may be NULL) the largest set that attains the bound.
 * Returns the bound, 0 if @n is 0. There may be at most FLOW_SETS distinct sets. */
double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure,
                        double *totals, portset *bottleneck);

#endif
