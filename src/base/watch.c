/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/watch.h"

#include <stddef.h>

#include "base/shortage.h"

_Thread_local struct watch watch;
_Thread_local uint64_t steps_taken;

struct watch watch_begin(bool (*over)(void *state), void *state)
{
    struct watch before = watch;
    watch = (struct watch){.over = over, .state = state};
    return before;
}

void watch_restore(struct watch before)
{
    watch = before;
}

bool watch_over(void)
{
    watch.steps = 0;
    if (!watch.ended && watch.over)
        watch.ended = watch.over(watch.state);
    return watch.ended || shortage_met();
}

bool watch_goes_on(struct err *err)
{
    return !watch_over() || err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
}
