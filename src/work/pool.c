/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/mem.h"

struct pool {
    const struct pool_ops *ops;
    void *state;
    pthread_mutex_t lock;
    bool ended;
};

struct worker {
    struct pool *pool;
    unsigned number;
    pthread_t thread;
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;

    for (;;) {
        pthread_mutex_lock(&pool->lock);
        bool more = !pool->ended && pool->ops->next(pool->state, worker->number);
        pool->ended |= !more;
        pthread_mutex_unlock(&pool->lock);
        if (!more)
            return NULL;
        pool->ops->work(pool->state, worker->number);
    }
}

void pool_run(unsigned workers, const struct pool_ops *ops, void *state)
{
    struct pool pool = {.ops = ops, .state = state};
    struct worker *all = mem_zero(workers ? workers : 1, sizeof *all);
    unsigned started = 1;

    pthread_mutex_init(&pool.lock, NULL);
    all[0] = (struct worker){.pool = &pool};
    for (; started < workers; started++) {
        all[started] = (struct worker){.pool = &pool, .number = started};
        if (pthread_create(&all[started].thread, NULL, run, &all[started]) != 0)
            break;
    }
    run(&all[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(all[i].thread, NULL);
    pthread_mutex_destroy(&pool.lock);
    free(all);
}

unsigned pool_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
