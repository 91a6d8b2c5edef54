/* Costs of memory lines on this CPU, measured by loops over arrays of several sizes. memory.csv in
 * the state directory stores them with the date. */
#ifndef PORTOLAN_CHART_MEMORY_LINES_H
#define PORTOLAN_CHART_MEMORY_LINES_H

#include "measure/kernel_arrays.h"
#include "model/memory_costs.h"

/* Measures the costs, with pages of 2 MiB if @huge and available. Runs each loop two to four times,
 * until its times are confirmed or @seconds have passed. Takes the sizes of the first- and
 * second-level cache from the system, and measures other sizes. Requires MEMORY_LINES_ARENA bytes.
 * Returns false with err on failure. */
bool memory_lines_measure(double seconds, bool huge, bool (*cancelled)(void *state), void *state,
                          struct memory_costs *out, struct err *err);
#define MEMORY_LINES_ARENA ((uint64_t)112 << 20)

/* Creates the loops in sandbox @s with an arena of @room bytes, before the first run of the
 * sandbox. Borrows @s and @arena. Returns NULL with err on failure. memory_lines_free frees the
 * result. */
struct memory_lines;
struct memory_lines *memory_lines_new(struct sandbox *s, struct arena_state *arena, double room,
                                      struct err *err);
void memory_lines_free(struct memory_lines *p);
/* Share of the second-level cache up to which the costs are stable. Another hardware thread of the
 * core, even of another guest, uses the rest. */
#define MEMORY_LINES_STABLE 0.25
/* Prepares a new measurement of the costs in @m for which @selected is true. Uses the sizes in
 * @bytes (ascending) that exceed the stable share of the second-level cache. Random accesses will
 * be sampled for @seconds per size. */
void memory_lines_again(struct memory_lines *p, const bool selected[MEMORY_COSTS],
                        const double *bytes, size_t count, double seconds,
                        const struct memory_costs *m);
/* Measures the costs again with arrays of @bytes. Returns false with err on failure. */
bool memory_lines_again_at(struct memory_lines *p, double bytes, struct err *err);
/* Sets @m to the costs measured again, after all sizes were measured. */
void memory_lines_again_take(struct memory_lines *p, struct memory_costs *m);

/* Loads the stored costs of this CPU, whose machine is @m. Returns false if none are stored, or if
 * a row is damaged. */
bool memory_lines_recall(const struct machine *m, struct memory_costs *out);
/* Saves @m with today's date. Logs a failed write. */
void memory_lines_remember(struct memory_costs *m);

#endif
