/* Throughput of multisets of µops under the port model: t = max over non-empty Q of mass(sets within Q) / |Q| (PMEvo eq. 1).
 * Only unions of occurring sets can attain the maximum; dense inputs go through a subset-sum (zeta) transform.
 * Masses are integers, sums are exact; the one rounding is the final division. */
#ifndef PORTOLAN_MODEL_THROUGHPUT_H
#define PORTOLAN_MODEL_THROUGHPUT_H

#include <stddef.h>
#include <stdint.h>

#include "model/experiment.h"
#include "model/mapping.h"

/* A flat multiset of µops: what the engine evaluates. */
struct mass {
    portset ports;    /* never empty */
    uint32_t count;   /* never 0; sums of all must stay below 2^31 */
};

/* Workspace of one thread; below 1 MiB up to 20 ports. */
struct throughput;
struct throughput *throughput_new(unsigned ports);   /* highest port index + 1, 1..32 */
void throughput_free(struct throughput *t);
/* For tests and the bench: "portable", "avx2" or "avx512" instead of the best this CPU has; false when it has not. */
bool throughput_use_engine(struct throughput *t, const char *name);

/* Cycles for the µops of @masses (sets may repeat). 0 when @n is 0. No allocation. One thread per workspace. */
double throughput_of_masses(struct throughput *t, const struct mass *masses, size_t n);
/* The same; *@bottleneck gets the maximal set Q* that attains it (0 for none). */
double throughput_bottleneck(struct throughput *t, const struct mass *masses, size_t n, portset *bottleneck);

/* Compiled two-level view of a mapping for fast repeated use: form index -> µops. Immutable, shared by threads. */
struct flat_mapping {
    unsigned ports;
    size_t forms;
    uint32_t *start;       /* forms + 1 offsets into masses */
    struct mass *masses;
};
/* Compiled experiments: form indices with counts. */
struct flat_experiments {
    size_t count;
    uint32_t *start;       /* count + 1 offsets into terms */
    struct flat_term { uint32_t form, count; } *terms;
};
struct flat_mapping *flat_mapping_new(const struct mapping *m);   /* form index = mapping_index */
void flat_mapping_free(struct flat_mapping *m);
/* Forms not in @m make the call fail: err names the first. */
struct flat_experiments *flat_experiments_new(const struct mapping *m, const struct experiment *e, size_t n, struct err *err);
void flat_experiments_free(struct flat_experiments *e);

/* One mapping, many experiments: cycles[i] for experiment i. */
void throughput_batch(struct throughput *t, const struct flat_mapping *m, const struct flat_experiments *e, double *cycles);
/* Many mappings over the same forms, one experiment (the shape evolution needs): cycles[i] under maps[i]. */
void throughput_across(struct throughput *t, const struct flat_mapping *const *maps, size_t n,
                       const struct flat_term *terms, size_t n_terms, double *cycles);

/* Convenience for one experiment. Forms unknown to @m count nothing and are appended to @unknown (one per line) when non-NULL. */
double throughput_of(const struct mapping *m, const struct experiment *e, struct str *unknown);

#endif
