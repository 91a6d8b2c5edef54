/* What analyses found, as a result. Any thread. */
#ifndef PORTOLAN_REPORT_REPORT_H
#define PORTOLAN_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "table/result.h"

/* @a: of loop @loop of @k. Adds per machine its pressure table, bounds and bottleneck sentence,
 * after a comparison when there are several; in CSV a row per instruction and port, in JSON an
 * object per machine. @ascii: bars of #. */
void report_add(const struct kernel *k, size_t loop, struct analysis *const *a, size_t n,
                bool ascii, struct result *result);

#endif
