/* Throughput of multisets of µops under the port model: t = max over non-empty Q of mass(sets
 * within Q) / |Q| (PMEvo eq. 1). Only unions of occurring sets can attain the maximum: few µops go
 * through their subsets, many through a subset-sum (zeta) transform over the ports, and larger ones
 * through maximum flows. Masses are integers, sums are exact; the one rounding is the final
 * division. */
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
/* For tests and the bench: "portable", "avx2" or "avx512" instead of the best this CPU has; false
 * when it has not. */
bool throughput_use_engine(struct throughput *t, const char *name);

/* Cycles for the µops of @masses (sets may repeat; at most FLOW_SETS distinct ones). 0 when @n is
 * 0. No allocation. One thread per workspace. */
double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n);
/* The same; *@bottleneck gets the maximal set Q* that attains it (0 for none). */
double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n,
                             portset *bottleneck);
/* Convenience for one experiment. Forms unknown to @m count nothing and are appended to @unknown
 * (one per line) when non-NULL. */
double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown);

#endif
