/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/shortage.h"

/* increase of the niceness of searching threads; on Linux, it reduces the weight of their CPU time
 * to a ninth */
#define SEARCH_NICE 10

_Thread_local struct job *thread_job;

struct team {
    void (*work)(void *state, unsigned worker);
    void *state;
    struct shortage *shortage;    /* the caller's record of memory shortage; NULL: none */
    struct job *job;              /* the caller's job; NULL: none */
    pthread_mutex_t lock;
    pthread_cond_t decided;
    enum { WAIT, WORK, GO_HOME } order;   /* what the thread must do next; protected by the lock */
};

struct worker {
    struct team *team;
    unsigned number;
    pthread_t thread;
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct team *team = worker->team;
    struct fault_stack stack;

    fault_stack_take(&stack);
    lock_take(&team->lock);
    while (team->order == WAIT)
        pthread_cond_wait(&team->decided, &team->lock);
    bool works = team->order == WORK;
    lock_give(&team->lock);
    shortage_begin(team->shortage);
    thread_job = team->job;
    if (works)
        team->work(team->state, worker->number);
    fault_stack_give(&stack);
    return NULL;
}

static void decide(struct team *team, int order)
{
    lock_take(&team->lock);
    team->order = order;
    pthread_cond_broadcast(&team->decided);
    lock_give(&team->lock);
}

int thread_begin(pthread_t *thread, void *(*start)(void *argument), void *argument)
{
    sigset_t all, before;

    sigfillset(&all);
    fault_unblock(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fault = pthread_create(thread, NULL, start, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* Does the same as team_run. If @fewer is true, continues with fewer threads if some cannot be
 * started. */
static bool run_team(unsigned workers, bool fewer, void (*work)(void *state, unsigned worker),
                     void *state, struct err *err)
{
    struct team team = {work, state, shortage_current(), .job = thread_job};
    struct worker *all = mem_zero(workers ? workers : 1, sizeof *all);
    unsigned started = 1;
    int fault = 0;

    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.decided, NULL);
    for (; started < workers; started++) {
        all[started] = (struct worker){.team = &team, .number = started};
        if ((fault = pthread_create(&all[started].thread, NULL, run, &all[started])) != 0)
            break;
    }
    bool ok = !fault || fewer;
    decide(&team, ok ? WORK : GO_HOME);
    if (ok)
        work(state, 0);
    else
        err_set(err, ERR_LIMIT, "use fewer threads (--threads)",
                "only %u of %u threads started: %s", started, workers,
                strerror(fault));
    for (unsigned i = 1; i < started; i++)
        pthread_join(all[i].thread, NULL);
    pthread_cond_destroy(&team.decided);
    pthread_mutex_destroy(&team.lock);
    free(all);
    return ok;
}

bool team_run(unsigned workers, void (*work)(void *state, unsigned worker), void *state,
              struct err *err)
{
    return run_team(workers, false, work, state, err);
}

struct apart {
    void (*work)(void *state);
    void *state;
    struct shortage *shortage;    /* the caller's record of memory shortage; NULL: none */
    struct job *job;              /* the caller's job; NULL: none */
};

static void *run_apart(void *argument)
{
    struct apart *apart = argument;
    struct fault_stack stack;

    fault_stack_take(&stack);
    shortage_begin(apart->shortage);
    thread_job = apart->job;
    apart->work(apart->state);
    fault_stack_give(&stack);
    return NULL;
}

bool thread_apart(void (*work)(void *state), void *state, struct err *err)
{
    struct apart apart = {work, state, shortage_current(), thread_job};
    pthread_t thread;
    int fault = pthread_create(&thread, NULL, run_apart, &apart);

    if (fault)
        return err_set(err, ERR_LIMIT, "cancel other jobs first", "cannot start a thread: %s",
                       strerror(fault));
    pthread_join(thread, NULL);
    return true;
}

struct pool {
    const struct pool_ops *ops;
    void *state;
    pthread_mutex_t lock;
    bool ended;
};

static void work_pieces(void *state, unsigned worker)
{
    struct pool *pool = state;

    for (;;) {
        lock_take(&pool->lock);
        bool more = !pool->ended && pool->ops->next(pool->state, worker);
        pool->ended |= !more;
        lock_give(&pool->lock);
        if (!more)
            return;
        pool->ops->work(pool->state, worker);
    }
}

void pool_run(unsigned workers, const struct pool_ops *ops, void *state)
{
    struct pool pool = {.ops = ops, .state = state};

    pthread_mutex_init(&pool.lock, NULL);
    run_team(workers, true, work_pieces, &pool, NULL);
    pthread_mutex_destroy(&pool.lock);
}

static atomic_bool leave;

void threads_leave_cpu(void)
{
    atomic_store(&leave, true);
}

void thread_searches(void)
{
    const id_t thread = (id_t)syscall(SYS_gettid);

    if (atomic_load(&leave))
        setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + SEARCH_NICE);
}

unsigned pool_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0
               ? (unsigned)CPU_COUNT(&set)
               : 1;
}
