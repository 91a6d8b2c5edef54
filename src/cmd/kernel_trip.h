/* kernel analyze --trip: time of an outer loop's iteration. */
#ifndef PORTOLAN_CMD_KERNEL_TRIP_H
#define PORTOLAN_CMD_KERNEL_TRIP_H

#include "analysis/analysis.h"
#include "table/result.h"

/* Loop @loop of @k on the machine of each of the @count @analyses, with @trips iterations of each
 * loop within it: a line and a row of JSON and CSV each. False with err when there is no loop
 * within it. */
bool kernel_trip(const struct kernel *k, size_t loop, size_t trips,
                 struct analysis *const *analyses, size_t count, struct result *result,
                 struct err *err);

#endif
