/* Counts work in loops over the input, so that a test can check complexity without timing. */
#ifndef PORTOLAN_BASE_STEPS_H
#define PORTOLAN_BASE_STEPS_H

#include <stdint.h>

/* Steps of this thread in total. A step takes about the time to compare two short names or to scan
 * 100 bytes. */
extern _Thread_local uint64_t steps_taken;

static inline void steps_add(uint64_t steps)
{
    steps_taken += steps;
}

#endif
