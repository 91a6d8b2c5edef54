/* Cooperative cancellation: the caller installs a predicate per thread, and long loops poll it. */
#ifndef PORTOLAN_BASE_WATCH_H
#define PORTOLAN_BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/steps.h"

/* number of steps (base/steps.h) between two polls */
#define WATCH_STEPS 4096

struct watch {
    bool (*over)(void *state);   /* function that returns whether the work must end; NULL: the work
                                  * cannot be cancelled */
    void *state;
    uint64_t steps;              /* number of steps since the last poll */
    bool ended;                  /* whether over() has returned true */
    const char *unit;            /* unit of the work, such as "rows"; NULL: none */
    double done, total;          /* completed and total work in that unit; total 0: unknown */
};

extern _Thread_local struct watch watch;

/* Installs @over for this thread, whose work ends when @over returns true; NULL: no cancellation.
 * Returns the previous watch for watch_restore. */
struct watch watch_begin(bool (*over)(void *state), void *state);
void watch_restore(struct watch before);
/* Polls for cancellation. Returns whether the work must end. If so, the caller must return at once,
 * and its caller must also poll. */
bool watch_over(void);
/* Polls for cancellation. Returns whether the work may continue. If not, sets @err ("cancelled"),
 * so that a loader can return false. */
bool watch_goes_on(struct err *err);

/* Sets the displayed progress: @done of @total (0: unknown) @unit. @unit is a static string such as
 * "bytes" or "rows". */
static inline void watch_at(const char *unit, double done, double total)
{
    watch.unit = unit;
    watch.done = done;
    watch.total = total;
}

/* Adds @steps to steps_taken, and polls every WATCH_STEPS steps. If the result is true, the caller
 * must return at once. */
static inline bool watch_steps(uint64_t steps)
{
    steps_add(steps);
    watch.steps += steps;
    return watch.steps >= WATCH_STEPS ? watch_over() : watch.ended;
}

#endif
