/* Samples instruction pointers by the system's software clock (perf_event_open,
 * PERF_COUNT_SW_CPU_CLOCK), without hardware counters. Includes threads and children. One
 * thread. */
#ifndef PORTOLAN_PROFILE_PERF_H
#define PORTOLAN_PROFILE_PERF_H

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct perf;

/* Watches @tasks, @rate times per CPU second; @on_exec: starting at exec. NULL with err when
 * refused. */
struct perf *perf_new(const struct task_list *tasks, bool on_exec, double rate, struct err *err);
void perf_free(struct perf *p);
/* Adds new records to @spaces and its samples: all, or, with @more to come, those that no older one
 * can follow. Call it several times per second. */
void perf_drain(struct perf *p, bool more, struct spaces *spaces);
/* Totals: samples lost or at unknown places, and processes and threads started. */
size_t perf_lost(const struct perf *p);
size_t perf_started(const struct perf *p, bool threads);

#endif
