/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/background.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/fault.h"
#include "base/free.h"
#include "base/lock.h"
#include "base/vec.h"
#include "work/pool.h"

struct discarded {
    void (*release)(void *object);
    void *object;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
/* objects to free; protected by the lock */
static VEC(struct discarded) list;
static bool leaves;

static pthread_t thread;
static bool begun;

static void take(void (*release)(void *object), void *object)
{
    bool taken = true;

    lock_take(&lock);
    vec_try_push(&list, ((struct discarded){release, object}), taken);
    pthread_cond_signal(&given);
    lock_give(&lock);
    if (!taken)
        release(object);
}

static void *work(void *unused)
{
    struct fault_stack stack;

    fault_stack_take(&stack);
    lock_take(&lock);
    while (list.count || !leaves) {
        if (!list.count) {
            pthread_cond_wait(&given, &lock);
            continue;
        }
        const struct discarded next = list.items[--list.count];
        lock_give(&lock);
        next.release(next.object);
        lock_take(&lock);
    }
    lock_give(&lock);
    fault_stack_give(&stack);
    return NULL;
}

void background_free_begin(void)
{
    leaves = false;
    begun = thread_begin(&thread, work, NULL) == 0;
    discard_set_taker(begun ? take : NULL);
}

void background_free_end(void)
{
    discard_set_taker(NULL);
    if (!begun)
        return;
    begun = false;
    lock_take(&lock);
    leaves = true;
    pthread_cond_signal(&given);
    lock_give(&lock);
    pthread_join(thread, NULL);
    vec_done(&list);
}
