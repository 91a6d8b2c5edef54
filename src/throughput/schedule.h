/* The balanced optimal schedule. It loads a smallest bottleneck evenly, removes it, and repeats
 * (nested bottlenecks, docs/design.md). Within a bottleneck it has the largest entropy of all
 * optimal schedules. The schedule attains the bound, is unique, and is independent of the order of
 * µops. It is displayed as the pressure. */
#ifndef PORTOLAN_THROUGHPUT_SCHEDULE_H
#define PORTOLAN_THROUGHPUT_SCHEDULE_H

#include "throughput/throughput.h"

/* Computes the schedule of @n @masses, one row each. Equal sets share evenly by count. Stores n *
 * ports doubles in row-major order in @pressure: the cycles of row i on port j. Stores the cycles
 * per port in @totals (may be NULL), and the largest set that attains the bound in *@bottleneck
 * (may be NULL). Returns the bound, 0 if @n is 0. There may be at most FLOW_SETS distinct sets. */
double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure,
                        double *totals, portset *bottleneck);

#endif
