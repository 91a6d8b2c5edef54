/* Cycle-by-cycle simulation of a repeating block on an out-of-order core: front end, rename,
 * schedulers, execution, retirement. The simulation ends when the state repeats after p
 * iterations. The result is then exact: the cycles of these p iterations divided by p. It also
 * ends when the loop has settled at its largest bound. */
#ifndef PORTOLAN_SIMULATE_SIMULATE_H
#define PORTOLAN_SIMULATE_SIMULATE_H

#include "simulate/simulation.h"

struct simulator;   /* Working storage, reused for successive blocks. One thread. */
struct simulator *simulator_new(void);
void simulator_free(struct simulator *s);
/* Simulates the block of the last bounds_of on @w, with the same @insns and @block. simulation_done
 * frees @out. */
void simulate(struct simulator *s, const struct block_work *w, const struct insn *insns,
              size_t count, const struct block_options *block,
              const struct simulate_options *options, struct simulation *out);
/* Simulates loop @loop of @k on @m. Stores the loop's bounds in @bounds (may be NULL).
 * simulation_done frees @out. Any thread. */
void simulate_kernel(const struct kernel *k, size_t loop, const struct machine *m,
                     const struct simulate_options *options, struct simulation *out,
                     struct bounds *bounds);

#endif
