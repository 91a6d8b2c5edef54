/* What several visits to a kernel, apart in time, say together: a value that the machine took in one quiet stretch counts when another one confirms it. Pure. */
#ifndef PORTOLAN_MEASURE_KERNEL_PASSES_H
#define PORTOLAN_MEASURE_KERNEL_PASSES_H

#include <stdbool.h>

#include "measure/kernel_run.h"

#define KERNEL_VISITS 8                                       /* after as many without a settled value it has none */
#define KERNEL_PASSES_VALUES (KERNEL_VISITS * KERNEL_VALUES)

struct kernel_passes {
    float values[KERNEL_PASSES_VALUES];            /* cycles per iteration of the accepted windows */
    unsigned char visit[KERNEL_PASSES_VALUES];
    unsigned count, visits;                        /* visits: those that brought a value */
};

/* Takes over what one visit saw, whether it was enough for a value or not. */
void kernel_passes_add(struct kernel_passes *p, const struct kernel_measured *m);
/* True when the values settle: a floor (window_floor) that two visits share, and below it no three values that agree, which would be another rhythm of the
 * same code or the rare quiet moments of a busy core. *cycles, *spread: of the floor. */
bool kernel_passes_settled(const struct kernel_passes *p, double *cycles, double *spread);

#endif
