/* Costs of memory lines on this CPU, measured by loops over arrays of several sizes. Kept with the
 * date in the file of the idle baseline. */
#ifndef PORTOLAN_CHART_MEMORY_LINES_H
#define PORTOLAN_CHART_MEMORY_LINES_H

#include "measure/sandbox.h"
#include "model/memory_costs.h"

/* About a second with @seconds 1: first-level and second-level sizes as the system tells them, all
 * other by measuring. Needs MEMORY_LINES_ARENA bytes. False with err. */
bool memory_lines_measure(double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct memory_costs *out, struct err *err);
#define MEMORY_LINES_ARENA ((uint64_t)260 << 20)

/* What is kept of this CPU, whose machine is @m. False when nothing is. Any thread. */
bool memory_lines_recall(const struct machine *m, struct memory_costs *out);
/* Keeps @m with today's date, which is filled in; what cannot be written is logged. */
void memory_lines_remember(struct memory_costs *m);
/* Bytes of memory that can be had now; 0: not known. */
uint64_t memory_available(void);

#endif
