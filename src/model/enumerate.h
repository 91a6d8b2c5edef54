/* Internal to the throughput engine: two exact enumerations, written once over 16 lanes and compiled for each instruction set.
 *
 * Subsets: over all subsets s of the µops, mass(s) / |union(s)|. Its maximum is the bound: for the best Q take all µops within Q.
 * Zeta: subset sums of mass over all sets of ports, then mass / |Q|.
 *
 * Ratios are compared as floats. Two different fractions a/b, c/d with b, d <= 32 and a, c <= 2^16 differ by 2^-21 of
 * their value or more, floats by 2^-23: the order is exact, and the fraction is recovered from the winner. */
#ifndef PORTOLAN_MODEL_ENUMERATE_H
#define PORTOLAN_MODEL_ENUMERATE_H

#include "model/flow.h"
#include "model/lanes_type.h"
#include "model/throughput.h"

#define ENUMERATE_MASS_MAX 65536u   /* sum of counts up to which the float order is exact */
#define SUBSETS_MAX 18              /* µops */
#define ZETA_PORTS_MAX 14

struct throughput {
    unsigned ports;
    const struct engine *engine;
    _Alignas(64) lanes table[1 << (ZETA_PORTS_MAX - 4)];      /* zeta: 16 low port sets per vector */
    uint32_t high_union[1 << (SUBSETS_MAX - 4)];
    uint32_t high_mass[1 << (SUBSETS_MAX - 4)];
    struct mass merged[FLOW_SETS];
    struct flow flow;
};

/* One compiled version of the enumerations. */
struct engine {
    const char *name;
    float (*subsets)(struct throughput *t, const struct mass *masses, size_t n);
    /* Ports 0..ports-1 only. */
    float (*zeta)(struct throughput *t, const struct mass *masses, size_t n, unsigned ports);
    double (*recover)(float ratio, unsigned ports);
    void (*batch)(struct throughput *t, const struct flat_mapping *m, const struct flat_experiments *e, double *cycles);
};
extern const struct engine engine_portable;
#if defined(__x86_64__)
extern const struct engine engine_avx2;
extern const struct engine engine_avx512;
#endif

/* Cycles of one compiled experiment of any size. */
double throughput_terms(struct throughput *t, const struct flat_mapping *m, const struct flat_term *terms, size_t n);

#endif
