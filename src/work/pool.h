/* Starting threads, and threads for one task: a team, whose members each do their own part, a pool,
 * which takes turns fetching pieces, and one apart. */
#ifndef PORTOLAN_WORK_POOL_H
#define PORTOLAN_WORK_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* Starts a thread that runs @run and gets no signals but for faults of its own; the caller joins
 * it. Returns what pthread_create does. */
int thread_begin(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Calls @work once for each of 0 .. @workers - 1, each on a thread of its own, worker 0 on the
 * calling one; returns when all have returned. No work begins before all threads are there: false
 * with err, and nothing was called, when the system refuses one. */
bool team_run(unsigned workers, void (*work)(void *state, unsigned worker), void *state,
              struct err *err);

/* Calls @work on a new thread, which has ended when this returns, together with the system's
 * per-thread state. False with err, and nothing was called, when the system refuses the thread. */
bool thread_apart(void (*work)(void *state), void *state, struct err *err);

struct pool_ops {
    /* Fetches the next piece into worker @worker's own place; false when there is no more. One
     * worker at a time. */
    bool (*next)(void *state, unsigned worker);
    /* Does it. At the same time as others. */
    void (*work)(void *state, unsigned worker);
};

/* Runs until next returns false for all; the calling thread is worker 0. A worker may get no piece,
 * and fewer of them work when the system refuses threads. */
void pool_run(unsigned workers, const struct pool_ops *ops, void *state);
/* Processors that this process may use, at least 1. */
unsigned pool_processors(void);

#endif
