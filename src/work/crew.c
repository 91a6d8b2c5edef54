/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "work/pool.h"

#define ASK_NANOSECONDS 100000000

struct member {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
};

struct crew {
    unsigned members;
    struct member *others;        /* members by number, beginning with 1 */
    pthread_mutex_t lock;
    pthread_cond_t given, done;
    /* The lock protects this member and those after it. */
    uint64_t task;                /* number of tasks so far */
    unsigned busy;                /* number of members except member 0 that are working */
    bool over;
    void (*work)(void *state, unsigned member);
    void *state;
    struct shortage *shortage;    /* the caller's record of memory shortage; NULL: none */
    struct job *job;              /* the caller's job; NULL: none */
};

static void *member_run(void *argument)
{
    struct member *m = argument;
    struct crew *c = m->crew;
    struct fault_stack stack;
    uint64_t known = 0;

    fault_stack_take(&stack);
    lock_take(&c->lock);
    for (;;) {
        while (!c->over && c->task == known)
            pthread_cond_wait(&c->given, &c->lock);
        if (c->over)
            break;
        known = c->task;
        lock_give(&c->lock);
        shortage_begin(c->shortage);
        thread_job = c->job;
        c->work(c->state, m->number);
        shortage_begin(NULL);
        lock_take(&c->lock);
        if (--c->busy == 0)
            pthread_cond_signal(&c->done);
    }
    lock_give(&c->lock);
    fault_stack_give(&stack);
    return NULL;
}

struct crew *crew_new(unsigned members, struct err *err)
{
    struct crew *c = mem_zero(1, sizeof *c);
    pthread_condattr_t monotonic;
    int fault = 0;

    c->others = mem_zero(members, sizeof *c->others);
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&c->given, NULL);
    pthread_cond_init(&c->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (c->members = 1; c->members < members && !fault; c->members += !fault) {
        c->others[c->members] = (struct member){.crew = c, .number = c->members};
        fault = thread_begin(&c->others[c->members].thread, member_run, &c->others[c->members]);
    }
    if (!fault)
        return c;
    err_set(err, ERR_LIMIT, "cancel other jobs first", "only %u of %u threads started: %s",
            c->members, members, strerror(fault));
    crew_free(c);
    return NULL;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    lock_take(&c->lock);
    c->over = true;
    pthread_cond_broadcast(&c->given);
    lock_give(&c->lock);
    for (unsigned i = 1; i < c->members; i++)
        pthread_join(c->others[i].thread, NULL);
    pthread_cond_destroy(&c->given);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    free(c->others);
    free(c);
}

/* Waits until all other members are done or the next poll is due. Returns whether they are done.
 * The caller holds the lock. */
static bool wait_a_while(struct crew *c)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ASK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (c->busy && pthread_cond_timedwait(&c->done, &c->lock, &until) == 0)
        ;
    return !c->busy;
}

void crew_call(struct crew *c, void (*work)(void *state, unsigned member), void *state,
               void (*waiting)(void *state))
{
    lock_take(&c->lock);
    c->work = work;
    c->state = state;
    c->shortage = shortage_current();
    c->job = thread_job;
    c->busy = c->members - 1;
    c->task++;
    pthread_cond_broadcast(&c->given);
    lock_give(&c->lock);
    work(state, 0);
    lock_take(&c->lock);
    while (!wait_a_while(c)) {
        lock_give(&c->lock);
        if (waiting)
            waiting(state);
        lock_take(&c->lock);
    }
    lock_give(&c->lock);
}

static void *threads_begin(unsigned members, struct err *err)
{
    return crew_new(members, err);
}

static void threads_call(void *crew, void (*work)(void *state, unsigned member), void *state,
                         void (*waiting)(void *state))
{
    crew_call(crew, work, state, waiting);
}

static void threads_end(void *crew)
{
    crew_free(crew);
}

const struct source_threads crew_threads = {threads_begin, threads_call, threads_end};
