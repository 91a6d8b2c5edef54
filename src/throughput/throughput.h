/* Throughput of multisets of µops under the port model: t = max over non-empty Q of mass(sets within Q) / |Q| (PMEvo eq. 1).
 * Only unions of occurring sets can attain the maximum. A compiled mapping holds every form's mass within each of them, so that
 * experiments are sums of rows (throughput/unions.h); without, few µops go through their subsets, many through a subset-sum (zeta)
 * transform over the ports, and what is too large for both through maximum flows.
 * Masses are integers, sums are exact; the one rounding is the final division. */
#ifndef PORTOLAN_THROUGHPUT_THROUGHPUT_H
#define PORTOLAN_THROUGHPUT_THROUGHPUT_H

#include <stddef.h>
#include <stdint.h>

#include "model/experiment.h"
#include "throughput/flat.h"
#include "model/mapping.h"
#include "throughput/unions.h"

/* Workspace of one thread; below 1 MiB up to 20 ports. */
struct throughput;
struct throughput *throughput_new(unsigned ports);   /* highest port index + 1, 1..32 */
void throughput_free(struct throughput *t);
size_t throughput_size(void);    /* bytes of a workspace */
/* For tests and the bench: "portable", "avx2" or "avx512" instead of the best this CPU has; false when it has not. */
bool throughput_use_engine(struct throughput *t, const char *name);

/* Cycles for the µops of @masses (sets may repeat; at most FLOW_SETS distinct ones). 0 when @n is 0. No allocation. One thread per
 * workspace. */
double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n);
/* The same; *@bottleneck gets the maximal set Q* that attains it (0 for none). */
double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n, portset *bottleneck);
/* The same from precomputed µop sums: cycles of @counts[i] times the form of each of @n rows that unions_row filled for @u.
 * Counts times masses must sum to UNIONS_MASS_MAX at most. When one form of an experiment varies, the weighted sum of the other
 * rows serves as one row. No allocation; @t may be shared: only its choice of engine is read. */
double throughput_of_rows(const struct throughput *t, const struct unions *u, const int16_t *const *rows, const uint32_t *counts, size_t n);

/* One mapping, many experiments: cycles[i] for experiment i. No allocation. */
void throughput_batch(struct throughput *t, const struct flat_mapping *m, const struct flat_experiments *e, double *cycles);
/* Many mappings over the same forms, one experiment (the shape evolution needs): cycles[i] under maps[i]. Only ports, forms, start
 * and masses of the maps are used, so that a caller may change usages in place. No allocation. */
void throughput_across(struct throughput *t, const struct flat_mapping *const *maps, size_t n,
                       const struct flat_term *terms, size_t n_terms, double *cycles);

/* Convenience for one experiment. Forms unknown to @m count nothing and are appended to @unknown (one per line) when non-NULL. */
double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown);

#endif
