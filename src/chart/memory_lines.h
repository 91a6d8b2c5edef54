/* Costs of memory lines on this CPU, measured by loops over arrays of several sizes. Kept with the
 * date in the file of the idle baseline. */
#ifndef PORTOLAN_CHART_MEMORY_LINES_H
#define PORTOLAN_CHART_MEMORY_LINES_H

#include "measure/kernel_arrays.h"
#include "model/memory_costs.h"

/* Runs each loop twice at least, until times confirm each other or @seconds are over. First-level
 * and second-level sizes are as the system tells them, all other is measured. Needs
 * MEMORY_LINES_ARENA bytes. False with err. */
bool memory_lines_measure(double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct memory_costs *out, struct err *err);
#define MEMORY_LINES_ARENA ((uint64_t)112 << 20)

/* The loops that measure it, in a sandbox with an arena of @room bytes: added to what is there,
 * before the first run. Both are borrowed. NULL with err; memory_lines_free. */
struct memory_lines;
struct memory_lines *memory_lines_new(struct sandbox *s, struct arena_state *arena, double room,
                                      struct err *err);
void memory_lines_free(struct memory_lines *p);
/* Measures again what @wanted names of @m, for those of @bytes, ascending, that are beyond a core's
 * own caches: others share what is there. @m has these sizes then; on failure it stays. */
bool memory_lines_again(struct memory_lines *p, const bool wanted[MEMORY_COSTS],
                        const double *bytes, size_t count, struct memory_costs *m, struct err *err);

/* Stored costs of this CPU, whose machine is @m. False when there are none. Any thread. */
bool memory_lines_recall(const struct machine *m, struct memory_costs *out);
/* Saves @m with today's date, which is filled in. Logs a failed write. */
void memory_lines_remember(struct memory_costs *m);
/* Bytes of memory that can be had now; 0: not known. */
uint64_t memory_available(void);

#endif
