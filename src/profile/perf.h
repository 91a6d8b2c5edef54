/* Samples instruction pointers with the system's software clock (perf_event_open,
 * PERF_COUNT_SW_CPU_CLOCK), which needs no hardware counters. Includes threads and children. One
 * thread. */
#ifndef PORTOLAN_PROFILE_PERF_H
#define PORTOLAN_PROFILE_PERF_H

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct perf;

/* Samples @tasks @rate times per CPU second. If @on_exec is true, starts at exec. Returns NULL with
 * err if the system refuses, or if all threads have ended. */
struct perf *perf_new(const struct task_list *tasks, bool on_exec, double rate, struct err *err);
void perf_free(struct perf *p);
/* Adds new records to @spaces and its samples. @more: whether more calls will follow. If so, a
 * record is added only when no older record can still arrive. Must be called several times per
 * second. */
void perf_drain(struct perf *p, bool more, struct spaces *spaces);
/* Return the total number of samples that were lost or are outside of known code. Return the number
 * of processes or threads that were started. */
size_t perf_lost(const struct perf *p);
size_t perf_started(const struct perf *p, bool threads);

#endif
