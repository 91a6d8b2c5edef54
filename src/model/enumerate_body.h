/* The enumerations, compiled once per instruction set: the including file defines POPCOUNT(lanes), RECIPROCAL(lanes)
 * (1 / v for v in 1..32, any finite value for 0) and FIRST_SET(lanes), the first lane that is not 0, or -1. */
#include <string.h>

#include "model/enumerate.h"
#include "model/lanes.h"

static const lanes BIT[4] = {
    {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1},
    {0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1},
    {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1},
    {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1},
};
static const lanes LANE_POPCOUNT = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static inline flanes ratio(lanes mass, lanes sets)
{
    return __builtin_convertvector(mass, flanes) * RECIPROCAL(POPCOUNT(sets));
}

/* All subsets of up to four µops, one per lane. */
static inline void low_subsets(const struct mass *masses, size_t n, lanes *unions, lanes *sums)
{
    lanes u = {0}, m = {0};
    for (size_t i = 0; i < n; i++) {
        u |= BIT[i] & (int32_t)masses[i].ports;
        m += BIT[i] & (int32_t)masses[i].count;
    }
    *unions = u;
    *sums = m;
}

static inline float subsets(struct throughput *t, const struct mass *masses, size_t n)
{
    lanes unions, sums;

    low_subsets(masses, n < 4 ? n : 4, &unions, &sums);
    flanes best = ratio(sums, unions);
    if (n > 4) {
        t->high_union[0] = t->high_mass[0] = 0;
        uint32_t filled = 1;
        for (size_t i = 4; i < n; i++) {
            for (uint32_t s = 0; s < filled; s++) {
                uint32_t u = t->high_union[s] | masses[i].ports, m = t->high_mass[s] + masses[i].count;
                t->high_union[filled + s] = u;
                t->high_mass[filled + s] = m;
                best = larger(best, ratio(sums + (int32_t)m, unions | (int32_t)u));
            }
            filled *= 2;
        }
    }
    return largest(best);
}

static inline float zeta(struct throughput *t, const struct mass *masses, size_t n, unsigned ports)
{
    unsigned high_bits = ports > 4 ? ports - 4 : 0;
    uint32_t vectors = 1u << high_bits;
    lanes *table = t->table;

    memset(table, 0, vectors * sizeof *table);
    /* Adding to every superset of the low four ports does the first four steps of the transform. */
    for (size_t i = 0; i < n; i++) {
        lanes mask = ~(lanes){0};
        for (unsigned bit = 0; bit < 4; bit++)
            if (masses[i].ports >> bit & 1)
                mask &= BIT[bit];
        table[masses[i].ports >> 4] += mask & (int32_t)masses[i].count;
    }
    for (uint32_t half = 1; half < vectors; half *= 2)
        for (uint32_t block = 0; block < vectors; block += 2 * half)
            for (uint32_t k = block; k < block + half; k++)
                table[k + half] += table[k];

    flanes best = {0};
    for (uint32_t k = 0; k < vectors; k++) {
        lanes sizes = LANE_POPCOUNT + __builtin_popcount(k);
        best = larger(best, __builtin_convertvector(table[k], flanes) * RECIPROCAL(sizes));
    }
    return largest(best);
}

/* The fraction mass / size, size <= ports, that @value is the rounding of: sizes are tried in all lanes at once. */
static inline double recover(float value, unsigned ports)
{
    for (unsigned first = 1; first <= ports; first += 16) {
        const flanes ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        flanes sizes = ramp + (float)first, product = sizes * value;
        lanes whole = __builtin_convertvector(product + 0.5f, lanes);
        flanes miss = __builtin_convertvector(whole, flanes) - product, bound = product * 0x1p-21f;
        lanes hit = (miss <= bound) & (-miss <= bound);
        int lane = FIRST_SET(hit);
        if (lane >= 0)
            return (double)whole[lane] / (double)(first + (unsigned)lane);
    }
    return value;
}

static inline void batch(struct throughput *t, const struct flat_mapping *m, const struct flat_experiments *e, double *cycles)
{
    for (size_t i = 0; i < e->count; i++) {
        struct mass masses[4];
        const struct flat_term *terms = e->terms + e->start[i], *end = e->terms + e->start[i + 1];
        size_t n = 0;
        uint64_t total = 0;
        for (; terms < end; terms++)
            for (uint32_t j = m->start[terms->form]; j < m->start[terms->form + 1]; j++) {
                if (n < 4) {
                    masses[n].ports = m->masses[j].ports;
                    masses[n].count = m->masses[j].count * terms->count;
                    total += masses[n].count;
                }
                n++;
            }
        if (n == 0)
            cycles[i] = 0;
        else if (n <= 4 && total <= ENUMERATE_MASS_MAX)
            cycles[i] = recover(subsets(t, masses, n), t->ports);
        else
            cycles[i] = throughput_terms(t, m, e->terms + e->start[i], e->start[i + 1] - e->start[i]);
    }
}
