/* Lists threads of processes, from /proc. */
#ifndef PORTOLAN_PROFILE_TASKS_H
#define PORTOLAN_PROFILE_TASKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

struct thread_id {
    pid_t pid, tid;
};

struct task_list { VEC(struct thread_id) list; };

/* Appends the threads of @pid and of all its descendants to @out. */
void tasks_find(pid_t pid, struct task_list *out);
/* Stores the path of the program of process @pid in @out, which has @size bytes. Returns false with
 * err if there is no such process, if it has no program, or if its path may not be read. */
bool task_program(pid_t pid, char *out, size_t size, struct err *err);
/* Returns the process of thread @tid; @tid if the thread has ended. */
pid_t task_process(pid_t tid);
/* Returns the state letter of /proc/PID/stat, such as 'S' or 'Z'; 0: the thread has ended. */
char task_state(const struct thread_id *task);
/* Returns whether the thread is running or waiting for a CPU. */
bool task_runs(const struct thread_id *task);

#endif
