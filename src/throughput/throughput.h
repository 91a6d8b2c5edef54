/* Throughput of multisets of µops under the port model: t = max over non-empty Q of mass(sets
 * within Q) / |Q| (PMEvo eq. 1). Only unions of occurring sets can attain the maximum. Few µops
 * are enumerated by subsets, and many by a subset-sum (zeta) transform over ports. Larger problems
 * use maximum flows. Masses are integers and sums exact. Only the final division rounds. */
#ifndef PORTOLAN_THROUGHPUT_THROUGHPUT_H
#define PORTOLAN_THROUGHPUT_THROUGHPUT_H

#include <stddef.h>

#include "model/experiment.h"
#include "model/mapping.h"
#include "throughput/flow.h"

/* Workspace of one thread, smaller than 1 MiB */
struct throughput;
/* Creates a workspace for @ports ports. @ports is the highest port index + 1, from 1 to 32. */
struct throughput *throughput_new(unsigned ports);
void throughput_free(struct throughput *t);
/* Selects the engine "portable", "avx2" or "avx512" instead of the best engine, for tests and
 * benchmarks. Returns false if this CPU does not support the engine. */
bool throughput_use_engine(struct throughput *t, const char *name);

/* Returns the cycles of the µops in @masses; 0 if @n is 0. Sets may repeat. There may be at most
 * FLOW_SETS distinct sets. Does not allocate. One thread per workspace. */
double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n);
/* Returns the cycles like throughput_of_masses. Stores the largest set that attains the bound in
 * *@bottleneck, or 0 if @n is 0. */
double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n,
                             portset *bottleneck);
/* Returns the throughput of one experiment. Forms missing in @m count as 0, and their names are
 * appended to @unknown (may be NULL), one per line. */
double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown);

#endif
