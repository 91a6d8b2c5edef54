/* Shared by the benchmarks of inference: processors with a known mapping, CPU time as the clock. */
#ifndef PORTOLAN_BENCH_KNOWN_CPU_H
#define PORTOLAN_BENCH_KNOWN_CPU_H

#include "../tests/support/measured_known.h"
#include "infer/genome.h"
#include "model/machine.h"

/* Of this process: independent of other load. */
double cpu_seconds(void);
/* Prints @err and exits. */
void fail(const struct err *err) __attribute__((noreturn));

/* All forms alone and all pairs of @truth, measured with @noise; @weighted: also pairs weighted by
 * the cycles of each form. The caller frees. */
struct experiments *known_pairs(const struct mapping *truth, double noise, bool weighted);

/* @count forms of a shipped machine, spread over it, that use its first @most_ports ports and take
 * at most @most_uops µops (cycles of a divider are
 * µops too), in a mapping with those ports. */
struct mapping *some_forms(const struct machine *machine, size_t count, unsigned most_ports,
                           uint32_t most_uops);

#endif
