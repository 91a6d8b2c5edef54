/* Groups the allowed CPUs by core, and divides them among lanes, which measure concurrently. */
#ifndef PORTOLAN_MEASURE_CORES_H
#define PORTOLAN_MEASURE_CORES_H

#include <stddef.h>

#include "measure/seek.h"

#define CORES_LANES 4     /* lanes at most: the inference after measuring runs on one core */

/* The CPUs of one lane. */
struct lane_cpus {
    int cpus[SEEK_CPUS];
    size_t count;
};

/* Divides the @n @cpus into shares; CPU i belongs to core @cores[i] (any numbers). There is one
 * share per core, at most @most; all CPUs of a core go to one share, if there is room. The first
 * share has the core of @first. Returns the number of shares. Pure. */
unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct lane_cpus *out);
/* The same for the CPUs allowed to the calling thread, at most CORES_LANES shares. A CPU of unknown
 * core is its own core; on hybrid processors CPUs of another kind than @first are omitted. */
unsigned cores_allowed(int first, struct lane_cpus out[CORES_LANES]);

#endif
