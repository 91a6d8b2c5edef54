/* Analyses of the session's kernel for commands. On the thread that uses the session or its
 * snapshot. */
#ifndef PORTOLAN_CMD_KERNEL_ANALYZE_H
#define PORTOLAN_CMD_KERNEL_ANALYZE_H

#include "analysis/analysis.h"
#include "cmd/parameter.h"
#include "cmd/session.h"
#include "table/result.h"

/* Analyses the kernel on each of @machines, or on the selected machines if the list is empty. The
 * results point into kernel and machines; kernel_analyses_free frees them. Returns NULL with err.
 * Sets *@count to the number of analyses. */
struct analysis **kernel_analyze(struct session *s, const struct word_list *machines, size_t *count,
                                 struct err *err);
void kernel_analyses_free(struct analysis **analyses, size_t count);

/* Analyses every loop and marked region on @machines (machine_set.h). Returns false with err on
 * failure or when cancelled. */
bool kernel_analyze_all(struct session *s, const struct word_list *machines, struct result *result,
                        struct err *err);

/* kernel_trip.c: kernel analyze --trip, time per iteration of an outer loop */

/* Adds the time of loop @loop of @k with @trips iterations of each inner loop. Each analysis gets a
 * line of text, and a row in JSON and CSV. Returns false with err if there is no inner loop, or
 * when cancelled. */
bool kernel_trip(const struct kernel *k, size_t loop, size_t trips,
                 struct analysis *const *analyses, size_t count, struct result *result,
                 struct err *err);

#endif
