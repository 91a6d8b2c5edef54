/* Locks shared by threads. The process that saves the session after a fault has a single thread. It
 * ignores locks, since their holders do not exist there. */
#ifndef PORTOLAN_BASE_LOCK_H
#define PORTOLAN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void lock_take(pthread_mutex_t *lock);
/* Takes the lock if it is free; false if not. */
bool lock_try(pthread_mutex_t *lock);
void lock_give(pthread_mutex_t *lock);
/* Disables all locks of this process, which has a single thread from now on. Data under a held lock
 * may be inconsistent. */
void lock_none(void);

#endif
