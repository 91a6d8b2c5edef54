/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/background.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/shortage.h"
#include "work/pool.h"

enum background_writer_stage { EMPTY, GIVEN, WRITTEN };

struct background_writer {
    bool (*write)(void *item, struct err *err);
    pthread_t thread;
    /* @begun: whether the thread was started; only the owner uses it. @ending: whether the thread
     * must end; protected by @lock. */
    bool begun, ending;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* The lock protects this member and the next two. */
    enum background_writer_stage stage;
    void *item;
    struct err err;
};

struct background_writer *background_writer_new(bool (*write)(void *item, struct err *err))
{
    struct background_writer *k = mem_zero(1, sizeof *k);

    k->write = write;
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->changed, NULL);
    return k;
}

static void write_item(struct background_writer *k)
{
    struct shortage shortage = {0};
    struct err err = {0};

    lock_give(&k->lock);
    shortage_begin(&shortage);
    bool ok = k->write(k->item, &err);
    shortage_end(&shortage, ok, "saving the session", &err);
    lock_take(&k->lock);
    k->err = err;
    k->stage = WRITTEN;
    pthread_cond_broadcast(&k->changed);
}

static void *work(void *argument)
{
    struct background_writer *k = argument;
    struct fault_stack stack;

    fault_stack_take(&stack);
    lock_take(&k->lock);
    while (!k->ending) {
        if (k->stage == GIVEN)
            write_item(k);
        else
            pthread_cond_wait(&k->changed, &k->lock);
    }
    lock_give(&k->lock);
    fault_stack_give(&stack);
    return NULL;
}

static bool begin(struct background_writer *k, struct err *err)
{
    int fault = thread_begin(&k->thread, work, k);

    k->begun = fault == 0;
    return k->begun ||
           err_set(err, ERR_LIMIT,
                   "end other programs, or raise the limit on processes (ulimit -u)",
                   "cannot start the thread that saves the session: %s", strerror(fault));
}

bool background_writer_idle(struct background_writer *k)
{
    lock_take(&k->lock);
    bool idle = k->stage == EMPTY;
    lock_give(&k->lock);
    return idle;
}

bool background_writer_give(struct background_writer *k, void *item, struct err *err)
{
    if (!k->begun && !begin(k, err))
        return false;
    lock_take(&k->lock);
    k->item = item;
    k->stage = GIVEN;
    pthread_cond_broadcast(&k->changed);
    lock_give(&k->lock);
    return true;
}

void *background_writer_take(struct background_writer *k, bool wait, struct err *err)
{
    void *item = NULL;

    lock_take(&k->lock);
    while (wait && k->stage == GIVEN)
        pthread_cond_wait(&k->changed, &k->lock);
    if (k->stage == WRITTEN) {
        item = k->item;
        *err = k->err;
        k->stage = EMPTY;
    }
    lock_give(&k->lock);
    return item;
}

void background_writer_free(struct background_writer *k)
{
    if (!k)
        return;
    lock_take(&k->lock);
    k->ending = true;
    pthread_cond_broadcast(&k->changed);
    lock_give(&k->lock);
    if (k->begun)
        pthread_join(k->thread, NULL);
    pthread_mutex_destroy(&k->lock);
    pthread_cond_destroy(&k->changed);
    free(k);
}
