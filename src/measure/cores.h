/* Groups the allowed CPUs by core, and divides them among measurers (threads that measure
 * concurrently). */
#ifndef PORTOLAN_MEASURE_CORES_H
#define PORTOLAN_MEASURE_CORES_H

#include <stddef.h>

#include "measure/seek.h"

/* maximum number of measurers; cores remain for inference, which runs concurrently */
#define CORES_MEASURERS 4

/* CPUs of one measurer */
struct measurer_cpus {
    int cpus[SEEK_CPUS];
    size_t count;
};

/* Divides the @n @cpus into at most @most shares, one per core. @cpus[i] belongs to core @cores[i];
 * any numbers identify cores. All CPUs of a core are in one share unless the share is full. The
 * first share has the core of CPU @first. Returns the number of shares. Pure. */
unsigned cores_share(const int *cpus, const int *cores, size_t n, int first, unsigned most,
                     struct measurer_cpus *out);
/* Divides the CPUs allowed to the calling thread into at most CORES_MEASURERS shares, like
 * cores_share. A CPU whose core is unknown is a separate core. In a hybrid processor, omits CPUs
 * of another kind than @first. Returns 0 if the allowed CPUs are unknown. */
unsigned cores_allowed(int first, struct measurer_cpus out[CORES_MEASURERS]);

#endif
