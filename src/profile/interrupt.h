/* Samples instruction pointers by interrupting programs (ptrace), if the system's sampling clock is
 * refused. The calling thread becomes the tracer of all threads and children, so it must be the one
 * that launched the program. Those that do not stop in time for interrupt_free (they wait in the
 * system) continue untraced when it ends. */
#ifndef PORTOLAN_PROFILE_INTERRUPT_H
#define PORTOLAN_PROFILE_INTERRUPT_H

#include <sys/resource.h>

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct interrupt;

/* Takes hold of @tasks, whose first is thread @main of the process that matters; @ours: it was
 * launched here and dies with us. NULL with err. */
struct interrupt *interrupt_new(const struct task_list *tasks, bool ours, double rate,
                                struct err *err);
/* Lets go of all that still run. */
void interrupt_free(struct interrupt *p);
/* Samples for about @seconds, or until the main process has ended: then true, with how in *@status
 * and *@usage. */
bool interrupt_watch(struct interrupt *p, double seconds, struct spaces *spaces, int *status,
                     struct rusage *usage);
/* The same without sampling or waiting: resumes stopped threads. */
bool interrupt_go_on(struct interrupt *p, struct spaces *spaces, int *status, struct rusage *usage);
/* Since the beginning: samples that lay nowhere known, processes and threads that were started. */
size_t interrupt_lost(const struct interrupt *p);
size_t interrupt_started(const struct interrupt *p, bool threads);
/* CPU seconds of all that was watched, up to the last sample of each process. */
double interrupt_cpu(const struct interrupt *p);

#endif
