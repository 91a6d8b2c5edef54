/* Workers that take turns fetching the next piece of work and do their pieces at the same time. */
#ifndef PORTOLAN_WORK_POOL_H
#define PORTOLAN_WORK_POOL_H

#include <stdbool.h>

struct pool_ops {
    /* Fetches the next piece into worker @worker's own place; false when there is no more. One worker at a time. */
    bool (*next)(void *state, unsigned worker);
    /* Does it. At the same time as others. */
    void (*work)(void *state, unsigned worker);
};

/* Runs until next returns false for all; the calling thread is worker 0. Fewer workers when the system refuses threads. */
void pool_run(unsigned workers, const struct pool_ops *ops, void *state);
/* Processors that this process may use, at least 1. */
unsigned pool_processors(void);

#endif
