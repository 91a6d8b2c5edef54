/* Work counted in loops over the input, so that a test can check how it grows, independent of the
 * machine's speed. */
#ifndef PORTOLAN_BASE_STEPS_H
#define PORTOLAN_BASE_STEPS_H

#include <stdint.h>

/* Of this thread, ever. A step is what takes about the same time as a comparison of two short
 * names, or as some hundred bytes of a memory scan. */
extern _Thread_local uint64_t steps_taken;

static inline void steps_add(uint64_t steps)
{
    steps_taken += steps;
}

#endif
