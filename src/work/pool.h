/* Starts threads and runs tasks on them. A team's members each do one part. A pool's workers fetch
 * work items in turn. A single task can have a separate thread. */
#ifndef PORTOLAN_WORK_POOL_H
#define PORTOLAN_WORK_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* Job for which this thread works (work/job.h); NULL: none. The threads of teams, pools and crews
 * work for the job of the thread that starts them or gives them a task. */
extern _Thread_local struct job *thread_job;

/* Starts a thread that runs @run. All signals are blocked, except for those that the thread's own
 * faults raise. The caller joins the thread. Returns the result of pthread_create. */
int thread_begin(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Calls @work once for each number from 0 to @workers - 1, and waits for all calls. Each call has
 * its own thread, except that of number 0, which is on the calling thread. Work starts when all
 * threads exist. If a thread cannot be started, calls nothing and returns false with err. */
bool team_run(unsigned workers, void (*work)(void *state, unsigned worker), void *state,
              struct err *err);

/* Calls @work on a new thread, and waits for the end of the thread, which also frees the thread's
 * state in the system. If the thread cannot be started, calls nothing and returns false with
 * err. */
bool thread_apart(void (*work)(void *state), void *state, struct err *err);

struct pool_ops {
    /* Fetches the next work item of worker @worker. Returns false if there is none. Never called
     * concurrently. */
    bool (*next)(void *state, unsigned worker);
    /* Processes the worker's item, concurrently with other workers. */
    void (*work)(void *state, unsigned worker);
};

/* Runs until @ops->next returns false once, and waits for the items in progress. The calling thread
 * is worker 0. A worker may receive no item. If some threads cannot be started, fewer workers
 * run. */
void pool_run(unsigned workers, const struct pool_ops *ops, void *state);
/* Declares that a screen is open. From then on, thread_searches lowers the priority of its
 * thread. */
void threads_leave_cpu(void);
/* Called by a thread that searches for minutes. If a screen is open, lowers the thread's priority
 * (nice), because the screen would otherwise wait for the time slices of busy threads. */
void thread_searches(void);
/* Returns the number of processors for this process, at least 1. */
unsigned pool_processors(void);

#endif
