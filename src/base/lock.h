/* Locks of what threads share. The process that saves the session after a fault has one thread
 * only: those that held a lock at that moment are not there to give it back, so it waits for
 * none. */
#ifndef PORTOLAN_BASE_LOCK_H
#define PORTOLAN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void lock_take(pthread_mutex_t *lock);
/* Takes it where nobody has it; false when somebody has. */
bool lock_try(pthread_mutex_t *lock);
void lock_give(pthread_mutex_t *lock);
/* From now on this process neither takes nor gives any: no other thread is in it, and none will be.
 * What was being changed under a lock may be half done. */
void lock_none(void);

#endif
