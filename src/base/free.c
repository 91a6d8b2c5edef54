/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/free.h"

#include <stdatomic.h>

static void (*_Atomic taker)(void (*release)(void *object), void *object);

void discard_set_taker(void (*take)(void (*release)(void *object), void *object))
{
    atomic_store(&taker, take);
}

void discard(void (*release)(void *object), void *object)
{
    void (*take)(void (*release)(void *object), void *object) = atomic_load(&taker);

    if (take)
        take(release, object);
    else
        release(object);
}
