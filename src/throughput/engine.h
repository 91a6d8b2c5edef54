/* Internal to the throughput engine: ways to find the bound, written once over vectors and compiled
 * for each instruction set. Exact ones (throughput/lanes_exact.h):
 *
 * Subsets: over all subsets s of the µops, mass(s) / |union(s)|. Its maximum is the bound: for the
 * best Q take all µops within Q. Zeta: subset sums of mass over all sets of ports, then mass / |Q|.
 *
 * Ratios are compared as floats. Two different fractions a/b, c/d with b, d <= 32 and a, c <= 2^16
 * differ by 2^-21 of their value or more, floats by 2^-23: the order is exact, and the fraction is
 * recovered from the winner. */
#ifndef PORTOLAN_THROUGHPUT_ENGINE_H
#define PORTOLAN_THROUGHPUT_ENGINE_H

#include "throughput/flow.h"
#include "throughput/tables.h"

#define SUBSETS_MASS_MAX 65536u     /* sum of counts up to which float order is exact */
#define SUBSETS_MAX 16              /* µops */
/* µops that the narrowest engine enumerates in the lanes of one vector */
#define SUBSETS_LOW 2
#define ZETA_MASS_MAX 32767u        /* 16-bit lanes */
#define ZETA_PORTS_MAX 14
/* ports in a block of eight of the narrowest engine's vectors */
#define ZETA_LOW 6
#define GATHER_MAX 64               /* µops that are taken without merging equal sets */

struct throughput {
    unsigned ports;
    const struct engine *engine;
    _Alignas(64) int16_t table[1 << ZETA_PORTS_MAX];
    /* order + 2^h: the numbers below 2^h in ascending order of bits set, for every h. */
    uint8_t order[2 << (ZETA_PORTS_MAX - ZETA_LOW)];
    uint32_t high_union[1 << (SUBSETS_MAX - SUBSETS_LOW)];
    uint32_t high_mass[1 << (SUBSETS_MAX - SUBSETS_LOW)];
    struct mass gathered[GATHER_MAX];
    struct flow flow;
};

/* One compiled version. The caller checks the arguments. */
struct engine {
    const char *name;
    /* Up to SUBSETS_MAX µops and SUBSETS_MASS_MAX of mass. */
    double (*subsets)(struct throughput *t, const struct mass *masses, size_t n);
    /* Ports 0..ports-1 only, ports <= ZETA_PORTS_MAX, mass up to ZETA_MASS_MAX. */
    double (*zeta)(struct throughput *t, const struct mass *masses, size_t n, unsigned ports);
    unsigned lanes;             /* 32-bit lanes of a vector */
    /* Nanoseconds per vector, measured on Zen 4; their ratios choose the method. */
    double subsets_cost, zeta_cost;
    struct table_engine tables; /* floats, for searches */
};
extern const struct engine engine_portable;
#if defined(__x86_64__)
extern const struct engine engine_avx2;
extern const struct engine engine_avx512;
#endif
/* The best this CPU has; @name NULL or the name of one (NULL when this CPU lacks it). */
const struct engine *engine_named(const char *name);

/* Least common multiples of 1..n. */
extern const double THROUGHPUT_COMMON[PORTS_MAX + 1];

/* The fraction mass / size, size <= ports, that @ratio is the rounding of. */
double throughput_fraction(float ratio, unsigned ports);

/* For tests: the bound by one method only, NaN when that method cannot take the input. */
enum throughput_method { METHOD_SUBSETS, METHOD_ZETA, METHOD_FLOW, METHOD_PARTS, METHOD_COUNT };
double throughput_by(struct throughput *t, enum throughput_method method, const struct mass *masses,
                     size_t n);

/* The same for sizes whose least common multiple is @common: the winner is a whole number of 1 /
 * common, which the float identifies while it is below 2^22 (its error is 2^-23 of it). */
static inline double fraction_of(float ratio, double common, unsigned ports)
{
    double scaled = (double)ratio * common;
    if (__builtin_expect(scaled < 0x1p22, 1))
        return (double)(int32_t)(scaled + 0.5) / common;
    return throughput_fraction(ratio, ports);
}

#endif
