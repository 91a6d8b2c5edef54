/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/background.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/mem.h"
#include "work/pool.h"

static sem_t asked, done;
static atomic_bool leaving;
static pthread_t thread;
static bool begun;

static void await(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

static void *work(void *unused)
{
    fault_this_helps();
    /* Makes the allocator create an arena for this thread, before a fault can damage other
     * arenas. */
    free(mem_alloc(64));
    await(&asked);
    if (!atomic_load(&leaving)) {
        die_prepare();
        sem_post(&done);
    }
    return NULL;
}

/* Wakes the rescuer and waits for it. Called in a signal handler. */
static void help(void)
{
    sem_post(&asked);
    await(&done);
}

void rescuer_begin(void)
{
    sem_init(&asked, 0, 0);
    sem_init(&done, 0, 0);
    atomic_store(&leaving, false);
    begun = thread_begin(&thread, work, NULL) == 0;
    fault_set_helper(begun ? help : NULL);
}

void rescuer_end(void)
{
    fault_set_helper(NULL);
    if (!begun)
        return;
    begun = false;
    atomic_store(&leaving, true);
    sem_post(&asked);
    pthread_join(thread, NULL);
    sem_destroy(&asked);
    sem_destroy(&done);
}
