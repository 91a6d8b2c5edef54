/* What the benches of inference share: processors whose mapping is known, CPU time as the clock. */
#ifndef PORTOLAN_BENCH_KNOWN_CPU_H
#define PORTOLAN_BENCH_KNOWN_CPU_H

#include "base/rng.h"
#include "infer/genome.h"
#include "model/machine.h"

/* Of this process: the load of others does not count. */
double cpu_seconds(void);
/* Prints @err and exits. */
void fail(const struct err *err) __attribute__((noreturn));

struct simulated {
    const struct mapping *m;
    struct rng rng;
    double noise;        /* each value is off by up to this fraction, evenly */
};
/* Fills the pending rows of @t with what @state, a struct simulated, says. */
bool known_cpu_measure(struct experiments *t, void *state, struct err *err);

/* @count forms of a shipped machine, spread over it, that use its first @most_ports ports and take at most @most_uops µops (cycles of a divider are
 * µops too), in a mapping with those ports. */
struct mapping *some_forms(const struct machine *machine, size_t count, unsigned most_ports, uint32_t most_uops);
/* Mean relative error of @found on 2,000 experiments of five forms of @truth. */
double unseen(const struct mapping *truth, const struct mapping *found);

#endif
