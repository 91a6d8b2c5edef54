/* Throughput of multisets of µops under the port model: t = max over non-empty Q of mass(sets
 * within Q) / |Q| (PMEvo eq. 1). Only unions of occurring sets can attain the maximum: few µops use
 * their subsets, many a subset-sum (zeta) transform over ports, larger ones maximum flows. Masses
 * are integers and sums exact; only the final division rounds. */
#ifndef PORTOLAN_THROUGHPUT_THROUGHPUT_H
#define PORTOLAN_THROUGHPUT_THROUGHPUT_H

#include <stddef.h>

#include "model/experiment.h"
#include "model/mapping.h"
#include "throughput/flow.h"

/* Workspace of one thread; below 1 MiB up to 20 ports. */
struct throughput;
struct throughput *throughput_new(unsigned ports);   /* highest port index + 1, 1..32 */
void throughput_free(struct throughput *t);
/* For tests and benchmarks: "portable", "avx2" or "avx512" instead of the best of this CPU; false
 * when it lacks that. */
bool throughput_use_engine(struct throughput *t, const char *name);

/* Cycles for the µops of @masses (sets may repeat; at most FLOW_SETS distinct ones). 0 when @n is
 * 0. No allocation. One thread per workspace. */
double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n);
/* As throughput_of_masses; *@bottleneck gets the maximal set Q* that attains it (0 for none). */
double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n,
                             portset *bottleneck);
/* Throughput of one experiment. Forms missing in @m count as 0 and are appended to @unknown (one
 * per line) unless NULL. */
double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown);

#endif
