/* The balanced optimal schedule: spread the mass of the maximal bottleneck set evenly over it, remove it, repeat on the rest
 * (nested bottlenecks, DESIGN.md). It attains the bound and is unique, hence the pressure that is shown. */
#ifndef PORTOLAN_MODEL_SCHEDULE_H
#define PORTOLAN_MODEL_SCHEDULE_H

#include "model/throughput.h"

/* @masses: n µops, one row each (the same set may repeat: rows of equal sets share evenly by count).
 * @pressure: n * ports doubles, row-major, filled with cycles of row i on port j. @totals: ports doubles (may be NULL).
 * Returns the bound; *@bottleneck (may be NULL) gets the maximal set that attains it. */
double schedule_balance(const struct mass *masses, size_t n, unsigned ports, double *pressure, double *totals,
                        portset *bottleneck);

#endif
