/* The simulator on a loaded kernel. */
#ifndef PORTOLAN_SIMULATE_SIMULATE_KERNEL_H
#define PORTOLAN_SIMULATE_SIMULATE_KERNEL_H

#include "analysis/kernel.h"
#include "simulate/simulate.h"

/* Simulates loop @loop of @k on @m; @bounds (may be NULL) gets its bounds. simulation_done frees @out. Any thread; takes milliseconds
 * for a loop of a hundred instructions. */
void simulate_kernel(const struct kernel *k, size_t loop, const struct machine *m, const struct simulate_options *options, struct simulation *out, struct bounds *bounds);

#endif
