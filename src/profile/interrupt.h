/* Samples instruction pointers by interrupting programs (ptrace), if the system's sampling clock is
 * unavailable. The calling thread becomes the tracer of all threads and children, so it must have
 * launched the program. Threads that do not stop in time for interrupt_free continue untraced when
 * it ends. */
#ifndef PORTOLAN_PROFILE_INTERRUPT_H
#define PORTOLAN_PROFILE_INTERRUPT_H

#include <sys/resource.h>

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct interrupt;

/* Attaches to @tasks, the first of which is thread @main of the main process; @ours: it was
 * launched here and dies with us. NULL with err. */
struct interrupt *interrupt_new(const struct task_list *tasks, bool ours, double rate,
                                struct err *err);
/* Detaches everything. */
void interrupt_free(struct interrupt *p);
/* Samples for about @seconds, or until the main process ends: then true, with *@status and
 * *@usage. */
bool interrupt_watch(struct interrupt *p, double seconds, struct spaces *spaces, int *status,
                     struct rusage *usage);
/* Resumes stopped threads, without sampling or waiting. */
bool interrupt_go_on(struct interrupt *p, struct spaces *spaces, int *status, struct rusage *usage);
/* Totals: samples at unknown places, and processes and threads started. */
size_t interrupt_lost(const struct interrupt *p);
size_t interrupt_started(const struct interrupt *p, bool threads);
/* CPU seconds of all watched processes, up to the last sample of each. */
double interrupt_cpu(const struct interrupt *p);

#endif
