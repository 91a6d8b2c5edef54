/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lock.h"

#include <stdatomic.h>

static atomic_bool none;

void lock_take(pthread_mutex_t *lock)
{
    if (!atomic_load_explicit(&none, memory_order_relaxed))
        pthread_mutex_lock(lock);
}

bool lock_try(pthread_mutex_t *lock)
{
    return atomic_load_explicit(&none, memory_order_relaxed) || pthread_mutex_trylock(lock) == 0;
}

void lock_give(pthread_mutex_t *lock)
{
    if (!atomic_load_explicit(&none, memory_order_relaxed))
        pthread_mutex_unlock(lock);
}

void lock_none(void)
{
    atomic_store(&none, true);
}
