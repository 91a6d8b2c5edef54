/* Threads of processes, as /proc has them. Any thread. */
#ifndef PORTOLAN_PROFILE_TASKS_H
#define PORTOLAN_PROFILE_TASKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vec.h"

struct thread_id {
    pid_t pid, tid;
};

struct task_list { VEC(struct thread_id) list; };

/* Adds the threads of @pid and of all its descendants. */
void tasks_find(pid_t pid, struct task_list *out);
/* The process that thread @tid belongs to; @tid itself when it is gone. */
pid_t task_process(pid_t tid);
/* Whether the thread runs or waits for a CPU. */
bool task_runs(const struct thread_id *task);

#endif
