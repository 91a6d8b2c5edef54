/* Cooperative cancellation: the caller installs a predicate per thread; long loops poll it. */
#ifndef PORTOLAN_BASE_WATCH_H
#define PORTOLAN_BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/steps.h"

#define WATCH_STEPS 4096   /* of base/steps.h, between two questions: a millisecond or less */

struct watch {
    bool (*over)(void *state);   /* NULL: never */
    void *state;
    uint64_t steps;              /* since the last poll */
    bool ended;                  /* it returned true once, and stays so */
    const char *unit;            /* unit of the work, as in "rows"; NULL: none */
    double done, total;          /* of it; total 0: not known */
};

/* Of this thread. */
extern _Thread_local struct watch watch;

/* From now on this thread's work ends when @over returns true; NULL: never. Returns the previous
 * one, for watch_restore. */
struct watch watch_begin(bool (*over)(void *state), void *state);
void watch_restore(struct watch before);
/* Polls now. True: leave at once; the caller polls as well. */
bool watch_over(void);
/* Polls now. True: continue. False with err ("cancelled") otherwise: the return value of a
 * loader. */
bool watch_goes_on(struct err *err);

/* Progress of the work, for display: @done of @total (0: not known) "bytes", "rows" and the like, a
 * string that stays. */
static inline void watch_at(const char *unit, double done, double total)
{
    watch.unit = unit;
    watch.done = done;
    watch.total = total;
}

/* watch_over after @steps more, which are counted here and in steps_taken; polls only now and
 * then. */
static inline bool watch_steps(uint64_t steps)
{
    steps_add(steps);
    watch.steps += steps;
    return watch.steps >= WATCH_STEPS ? watch_over() : watch.ended;
}

#endif
