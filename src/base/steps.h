/* Work counted in loops over the input, so that a test can check how it grows, independent of the
 * machine's speed. */
#ifndef PORTOLAN_BASE_STEPS_H
#define PORTOLAN_BASE_STEPS_H

#include <stdint.h>

/* Of this thread, in total. A step takes about the time of a comparison of two short names, or of
 * scanning a hundred bytes of memory. */
extern _Thread_local uint64_t steps_taken;

static inline void steps_add(uint64_t steps)
{
    steps_taken += steps;
}

#endif
