/* Counts the work of loops over the input, so that tests can check complexity without timing. */
#ifndef PORTOLAN_BASE_STEPS_H
#define PORTOLAN_BASE_STEPS_H

#include <stdint.h>

/* Total steps of this thread. A step is about the work of comparing two short names or scanning 100
 * bytes. */
extern _Thread_local uint64_t steps_taken;

static inline void steps_add(uint64_t steps)
{
    steps_taken += steps;
}

#endif
