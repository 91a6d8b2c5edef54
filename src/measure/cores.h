/* Groups the allowed CPUs by core, and divides them among lanes, which measure concurrently. */
#ifndef PORTOLAN_MEASURE_CORES_H
#define PORTOLAN_MEASURE_CORES_H

#include <stddef.h>

#include "measure/seek.h"

#define CORES_LANES 4     /* most lanes, because the inference after measuring uses one core */

/* CPUs of one lane. */
struct lane_cpus {
    int cpus[SEEK_CPUS];
    size_t count;
};

/* Divides the @n @cpus into shares. CPU i belongs to core @cores[i] (any numbers). There is one
 * share per core, at most @most. All CPUs of a core are in one share, if there is room. The first
 * share has the core of @first. Returns the number of shares. Pure. */
unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct lane_cpus *out);
/* Divides the CPUs allowed to the calling thread in the same way, into at most CORES_LANES shares.
 * A CPU of unknown core counts as a separate core. On hybrid processors CPUs of another kind than
 * @first are omitted. */
unsigned cores_allowed(int first, struct lane_cpus out[CORES_LANES]);

#endif
