/* Instruction pointers from the system's software clock (perf_event_open, PERF_COUNT_SW_CPU_CLOCK),
 * without a counter of the processor. Includes threads and children. One thread. */
#ifndef PORTOLAN_PROFILE_PERF_H
#define PORTOLAN_PROFILE_PERF_H

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct perf;

/* Watches @tasks, @rate times in a second of their CPU time; @on_exec: from when it becomes another
 * program on. NULL with err when the system refuses. */
struct perf *perf_new(const struct task_list *tasks, bool on_exec, double rate, struct err *err);
void perf_free(struct perf *p);
/* Takes new records into @spaces and its samples: all of them, or, with @more to come, those that
 * nothing older can follow. Call it some times a second. */
void perf_drain(struct perf *p, bool more, struct spaces *spaces);
/* Since the beginning: samples that were lost or lay nowhere known, processes and threads that were
 * started. */
size_t perf_lost(const struct perf *p);
size_t perf_started(const struct perf *p, bool threads);

#endif
