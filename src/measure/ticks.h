/* Time counter of measurements. Internal to measure/. */
#ifndef PORTOLAN_MEASURE_TICKS_H
#define PORTOLAN_MEASURE_TICKS_H

#include <linux/audit.h>
#include <stdint.h>

#include "measure/bare.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define TICKS_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TICKS_AUDIT_ARCH AUDIT_ARCH_AARCH64
#else
#error "no tick counter for this processor"
#endif

/* Returns the time stamp counter, or AArch64's virtual counter. The virtual counter (24 MHz to 1
 * GHz) may be far slower than the core, so calibration adapts the windows. */
BARE_INLINE uint64_t ticks_now(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

#endif
