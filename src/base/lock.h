/* Locks between threads. The process that saves the session after a fault ignores locks. It has a
 * single thread, and the threads that hold the locks do not exist in it. */
#ifndef PORTOLAN_BASE_LOCK_H
#define PORTOLAN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void lock_take(pthread_mutex_t *lock);
/* Locks and returns true if no thread owns the lock, or if locks are disabled (lock_none);
 * otherwise returns false. */
bool lock_try(pthread_mutex_t *lock);
void lock_give(pthread_mutex_t *lock);
/* Disables all locks of this process, which must have a single thread. Data may be inconsistent if
 * their lock is held at that time. */
void lock_none(void);

#endif
