/* Samples instruction pointers by interrupting programs (ptrace), for systems whose sampling clock
 * is unavailable. The calling thread becomes the tracer of all threads and children, so it must
 * have launched the program. Threads that have not stopped when interrupt_free returns are detached
 * when the tracing thread ends. */
#ifndef PORTOLAN_PROFILE_INTERRUPT_H
#define PORTOLAN_PROFILE_INTERRUPT_H

#include <sys/resource.h>

#include "base/err.h"
#include "profile/spaces.h"
#include "profile/tasks.h"

struct interrupt;

/* Attaches to @tasks. The first one is the main thread of the main process. @ours: whether this
 * process launched the program. If so, the program ends when this process ends. Returns NULL with
 * err. */
struct interrupt *interrupt_new(const struct task_list *tasks, bool ours, double rate,
                                struct err *err);
/* Detaches from all threads and frees @p. Returns the number of threads that did not stop within a
 * second, such as one that waits for its child of vfork. */
size_t interrupt_free(struct interrupt *p);
/* Samples for about @seconds. If the main process ends, sets *@status and *@usage, and returns
 * true. */
bool interrupt_watch(struct interrupt *p, double seconds, struct spaces *spaces, int *status,
                     struct rusage *usage);
/* Resumes stopped threads without sampling or waiting. Returns the same as interrupt_watch. */
bool interrupt_go_on(struct interrupt *p, struct spaces *spaces, int *status, struct rusage *usage);
/* Return the total number of samples outside of known code, and the number of processes or threads
 * that were started. */
size_t interrupt_lost(const struct interrupt *p);
size_t interrupt_started(const struct interrupt *p, bool threads);
/* Returns the CPU seconds of all watched processes, each from its first to its last sample. */
double interrupt_cpu(const struct interrupt *p);

#endif
