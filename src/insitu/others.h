/* CPU time that other processes use during a measurement. They take cache lines, memory bandwidth
 * and time slices from the measured program. */
#ifndef PORTOLAN_INSITU_OTHERS_H
#define PORTOLAN_INSITU_OTHERS_H

#include <stdio.h>

/* Returns the seconds for which all CPUs together were busy so far, less those of this process;
 * NaN: unknown. */
double others_seconds(void);
/* Internal, for tests: returns the busy seconds of all CPUs from the text of /proc/stat; NaN:
 * malformed. */
double others_busy(FILE *stat, double ticks_per_second);

#endif
