/* Starts threads, and runs single tasks on several: a team, whose members each do their part; a
 * pool, which fetches work items in turn; and a single separate thread. */
#ifndef PORTOLAN_WORK_POOL_H
#define PORTOLAN_WORK_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* Starts a thread that runs @run with all signals blocked except its own faults; the caller joins
 * it. Returns the result of pthread_create. */
int thread_begin(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Calls @work once for each of 0 .. @workers - 1, each on its own thread, worker 0 on the calling
 * one; returns after all. Starts after all threads exist: false with err, with nothing called, when
 * one cannot be started. */
bool team_run(unsigned workers, void (*work)(void *state, unsigned worker), void *state,
              struct err *err);

/* Calls @work on a new thread and waits for its end, which also ends the system's per-thread state.
 * False with err, with nothing called, when the thread cannot be started. */
bool thread_apart(void (*work)(void *state), void *state, struct err *err);

struct pool_ops {
    /* Fetches the next work item into worker @worker's place; false when there is none. One worker
     * at a time. */
    bool (*next)(void *state, unsigned worker);
    /* Processes it, concurrently with others. */
    void (*work)(void *state, unsigned worker);
};

/* Runs until next returns false for all; the calling thread is worker 0. A worker may get nothing;
 * if threads cannot be started, fewer work. */
void pool_run(unsigned workers, const struct pool_ops *ops, void *state);
/* Number of processors for this process, at least 1. */
unsigned pool_processors(void);

#endif
