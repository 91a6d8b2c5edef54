/* Processors with a known mapping, and CPU time as the clock, for the benchmarks of inference. */
#ifndef PORTOLAN_BENCH_KNOWN_CPU_H
#define PORTOLAN_BENCH_KNOWN_CPU_H

#include "../tests/support/measured_known.h"
#include "infer/genome.h"
#include "model/machine.h"

/* Returns the CPU seconds of this process, which do not depend on other load. */
double cpu_seconds(void);
/* Prints @err and exits. */
void fail(const struct err *err) __attribute__((noreturn));

/* Returns all single forms and all pairs of @truth, measured with relative @noise. With @weighted,
 * also returns pairs weighted by the cycles of each form. The caller frees the table. */
struct experiments *known_pairs(const struct mapping *truth, double noise, bool weighted);

/* Returns a mapping with @count forms of a shipped machine, evenly spread, and their ports. The
 * forms use only the first @most_ports ports and have at most @most_uops µops (divider cycles count
 * as µops). The caller frees the mapping. */
struct mapping *some_forms(const struct machine *machine, size_t count, unsigned most_ports,
                           uint32_t most_uops);

#endif
