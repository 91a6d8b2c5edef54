/* Locks shared by threads. The process that saves the session after a fault has one thread only.
 * Holders of a lock at that moment do not exist there, so it waits for none. */
#ifndef PORTOLAN_BASE_LOCK_H
#define PORTOLAN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void lock_take(pthread_mutex_t *lock);
/* Takes it if it is free; false otherwise. */
bool lock_try(pthread_mutex_t *lock);
void lock_give(pthread_mutex_t *lock);
/* From now on this process neither takes nor releases any: it has no other thread, and never will.
 * Data under a lock may be half changed. */
void lock_none(void);

#endif
