/* Groups the allowed CPUs by core, and divides them among lanes (threads that measure
 * concurrently). */
#ifndef PORTOLAN_MEASURE_CORES_H
#define PORTOLAN_MEASURE_CORES_H

#include <stddef.h>

#include "measure/seek.h"

/* maximum number of lanes; cores remain for inference, which runs concurrently */
#define CORES_LANES 4

/* CPUs of one lane */
struct lane_cpus {
    int cpus[SEEK_CPUS];
    size_t count;
};

/* Divides the @n @cpus into at most @most shares, one per core. @cpus[i] belongs to core @cores[i];
 * any numbers identify cores. All CPUs of a core are in one share unless the share is full. The
 * first share has the core of CPU @first. Returns the number of shares. Pure. */
unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct lane_cpus *out);
/* Divides the CPUs allowed to the calling thread into at most CORES_LANES shares, like
 * cores_share. A CPU whose core is unknown is a separate core. In a hybrid processor, omits CPUs
 * of another kind than @first. Returns 0 if the allowed CPUs are unknown. */
unsigned cores_allowed(int first, struct lane_cpus out[CORES_LANES]);

#endif
