/* CPU time that other processes use during a measurement. They take cache lines, memory bandwidth
 * and time slices from the measured program. */
#ifndef PORTOLAN_INSITU_OTHERS_H
#define PORTOLAN_INSITU_OTHERS_H

#include <stdio.h>

/* Returns the busy seconds of all CPUs since boot, summed, minus the CPU time of this process; NaN:
 * unknown. */
double others_seconds(void);
/* Returns the summed busy seconds of all CPUs from the text of /proc/stat; NaN: malformed.
 * Internal, for tests. */
double others_busy(FILE *stat, double ticks_per_second);

#endif
