/* Internal to the throughput engine: computations of the bound over vectors, compiled for each
 * instruction set. There are two exact methods (throughput/lanes_exact.h). Subsets: the maximum of
 * mass(s) / |union(s)| over all subsets s of the µops. The best Q corresponds to the subset of all
 * µops within Q. Zeta: subset sums of mass over all sets of ports, then mass / |Q|. Ratios are
 * compared as floats. Two different fractions a/b, c/d with b, d <= 32 and a, c <= 2^16 differ by
 * at least 2^-21 of their value. The precision of floats is 2^-23. Therefore the order is exact,
 * and the fraction can be computed from the largest float. */
#ifndef PORTOLAN_THROUGHPUT_ENGINE_H
#define PORTOLAN_THROUGHPUT_ENGINE_H

#include "throughput/flow.h"
#include "throughput/tables.h"

#define SUBSETS_MASS_MAX 65536u     /* maximum sum of counts with an exact order of floats */
#define SUBSETS_MAX 16              /* maximum number of masses for the method by subsets */
/* number of µops whose subsets the narrowest engine enumerates in the lanes of one vector */
#define SUBSETS_LOW 2
#define ZETA_MASS_MAX 32767u        /* maximum sum of counts, because lanes have 16 bits */
#define ZETA_PORTS_MAX 14
/* ports per block of eight vectors, in the narrowest engine */
#define ZETA_LOW 6
/* maximum number of masses that are processed without merging equal sets */
#define GATHER_MAX 64

struct throughput {
    unsigned ports;
    const struct engine *engine;
    _Alignas(64) int16_t table[1 << ZETA_PORTS_MAX];
    /* for every h, from @order + 2^h: the numbers below 2^h, sorted by number of bits set */
    const uint8_t *order;
    uint32_t high_union[1 << (SUBSETS_MAX - SUBSETS_LOW)];
    uint32_t high_mass[1 << (SUBSETS_MAX - SUBSETS_LOW)];
    struct mass gathered[GATHER_MAX];
    struct flow flow;
};

/* Engine compiled for one instruction set. The caller checks the limits. */
struct engine {
    const char *name;
    /* Computes the bound by subsets of up to SUBSETS_MAX masses, with a sum of counts of up to
     * SUBSETS_MASS_MAX. */
    double (*subsets)(struct throughput *t, const struct mass *masses, size_t n);
    /* Computes the bound by the zeta transform, for @ports <= ZETA_PORTS_MAX and a sum of counts of
     * up to ZETA_MASS_MAX. */
    double (*zeta)(struct throughput *t, const struct mass *masses, size_t n, unsigned ports);
    unsigned lanes;             /* number of 32-bit lanes per vector */
    /* nanoseconds per vector, measured on Zen 4; their ratio selects the method */
    double subsets_cost, zeta_cost;
    struct table_engine tables; /* float tables for searches */
};
extern const struct engine engine_portable;
#if defined(__x86_64__)
extern const struct engine engine_avx2;
extern const struct engine engine_avx512;
#endif
/* Returns the engine named @name, or the best engine of this CPU if @name is NULL. Returns NULL if
 * the name is unknown or this CPU does not support the engine. */
const struct engine *engine_named(const char *name);

/* least common multiple of 1 to n, for each n */
extern const double THROUGHPUT_COMMON[PORTS_MAX + 1];

/* Returns the fraction mass / size, with size <= @ports, that rounds to @ratio. */
double throughput_fraction(float ratio, unsigned ports);

/* Computes the bound by one method. Returns NaN if the method does not support the input. Used by
 * tests. */
enum throughput_method { METHOD_SUBSETS, METHOD_ZETA, METHOD_FLOW, METHOD_PARTS, METHOD_COUNT };
double throughput_by(struct throughput *t, enum throughput_method method, const struct mass *masses,
                     size_t n);

/* Returns the fraction near @ratio for sizes with the least common multiple @common. The fraction
 * is an integer multiple of 1 / @common. The float determines the integer if it is below 2^22 (the
 * relative error is 2^-23). */
static inline double fraction_of(float ratio, double common, unsigned ports)
{
    double scaled = (double)ratio * common;
    if (__builtin_expect(scaled < 0x1p22, 1))
        return (double)(int32_t)(scaled + 0.5) / common;
    return throughput_fraction(ratio, ports);
}

#endif
