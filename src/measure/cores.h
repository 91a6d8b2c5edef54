/* Which of the CPUs that this process may use belong to one core, and how they are shared out among
 * lanes, which measure at the same time. */
#ifndef PORTOLAN_MEASURE_CORES_H
#define PORTOLAN_MEASURE_CORES_H

#include <stddef.h>

#include "measure/seek.h"

#define CORES_LANES 4     /* at most: what follows from measurements takes its time on one core */

/* The CPUs of one lane. */
struct lane_cpus {
    int cpus[SEEK_CPUS];
    size_t count;
};

/* Distributes the @n CPUs at @cpus, of which the i-th belongs to core @cores[i] (any numbers), to
 * as many shares as there are cores, at most @most: all CPUs of a core go to one share, if there is
 * room. The first share has the core of @first. Returns how many shares there are. Pure. */
unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct lane_cpus *out);
/* The same with the CPUs that the calling thread may use, at most CORES_LANES shares. A CPU of
 * whose core the system says nothing is a core of its own; those of another kind than @first, in a
 * processor of several, are left out. */
unsigned cores_allowed(int first, struct lane_cpus out[CORES_LANES]);

#endif
