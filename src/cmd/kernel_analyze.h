/* Analyses of the session's kernel for the commands that show them. UI thread. */
#ifndef PORTOLAN_CMD_KERNEL_ANALYZE_H
#define PORTOLAN_CMD_KERNEL_ANALYZE_H

#include "analysis/analysis.h"
#include "cmd/parameter.h"
#include "cmd/session.h"
#include "table/result.h"

/* One analysis for each of @machines, or of the selected ones if it is empty; they point into the
 * kernel and the machines. kernel_analyses_free frees them. NULL with err. */
struct analysis **kernel_analyze(struct session *s, const struct word_list *machines, size_t *count,
                                 struct err *err);
void kernel_analyses_free(struct analysis **analyses, size_t count);

/* kernel_all.c: all loops of the session's kernel on several machines: kernel analyze --all. UI
 * thread. */

/* Starts the job that analyses every loop and marked region on @machines (machine_set.h). False
 * with err when it could not. */
bool kernel_analyze_all(struct session *s, const struct word_list *machines, struct result *result,
                        struct err *err);

/* kernel_trip.c: kernel analyze --trip: time of an outer loop's iteration. */

/* Loop @loop of @k on the machine of each of the @count @analyses, with @trips iterations of each
 * loop within it: a line and a row of JSON and CSV each. False with err when there is no loop
 * within it. */
bool kernel_trip(const struct kernel *k, size_t loop, size_t trips,
                 struct analysis *const *analyses, size_t count, struct result *result,
                 struct err *err);

#endif
