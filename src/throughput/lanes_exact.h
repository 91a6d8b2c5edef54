/* Exact enumerations, compiled per instruction set. The including file defines VECTOR_BYTES and
 * includes throughput/lanes.h. For its vectors it defines larger(), larger_shorts(), largest() and
 * sizes_ratio(mass, sets), which is mass / |sets|, or 0 for empty sets. */
#include <string.h>

static const uint16_t RAMP[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const int32_t BIT[4][16] = {
    {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1},
    {0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1},
    {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1},
    {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1},
};
/* 1 / (number of bits in the lane number + k), for the even and odd 16-bit lanes. */
#define R(k) ((k) ? 1.0f / (float)((k) ? (k) : 1) : 0)
#define R8(k)                                                                                      \
    R(k), R((k) + 1), R((k) + 1), R((k) + 2), R((k) + 1), R((k) + 2), R((k) + 2), R((k) + 3)
#define R16(k) {R8(k), R8((k) + 1)}
static const float LOW_SIZES[16][16] = {
    R16(0), R16(1), R16(2),  R16(3),  R16(4),  R16(5),  R16(6),  R16(7),
    R16(8), R16(9), R16(10), R16(11), R16(12), R16(13), R16(14), R16(15),
};
#undef R
#undef R8
#undef R16

/* Computes the bound by subsets. A lane is a subset of the first LOW_UOPS µops, and a vector is a
 * subset of the other µops. */
static inline double subsets(struct throughput *t, const struct mass *masses, size_t n)
{
    lanes unions = {0}, sums = {0};

    for (size_t i = 0; i < (n < LOW_UOPS ? n : LOW_UOPS); i++) {
        const lanes bit = *(const lanes_any *)BIT[i];
        unions |= bit & masses[i].ports;
        sums += bit & masses[i].count;
    }
    flanes best = sizes_ratio(sums, unions);
    if (n > LOW_UOPS) {
        t->high_union[0] = t->high_mass[0] = 0;
        uint32_t filled = 1;
        for (size_t i = LOW_UOPS; i < n; i++) {
            for (uint32_t s = 0; s < filled; s++) {
                uint32_t u = t->high_union[s] | masses[i].ports,
                         m = t->high_mass[s] + masses[i].count;
                t->high_union[filled + s] = u;
                t->high_mass[filled + s] = m;
                best = larger(best, sizes_ratio(sums + m, unions | u));
            }
            filled *= 2;
        }
    }
    return fraction_of(largest(best), THROUGHPUT_COMMON[t->ports], t->ports);
}

/* Returns the maximum of @best and the sums times the reciprocals of their sizes. Sums are never
 * negative. */
static inline flanes with_sizes(flanes best, shorts sums, const float *even, const float *odd)
{
    lanes low = (lanes)sums & 0xffff, high = (lanes)sums >> 16;
    best = larger(best, as_floats(low) * *(const flanes_any *)even);
    return larger(best, as_floats(high) * *(const flanes_any *)odd);
}

/* Performs three steps of the transform within a block of eight vectors, in registers. top[k] is
 * the maximum of the vectors of size k. */
static inline void block_steps(const shorts *block, shorts top[4])
{
    shorts v0 = block[0], v1 = block[1] + v0, v2 = block[2], v3 = block[3] + v2;
    shorts v4 = block[4], v5 = block[5] + v4, v6 = block[6], v7 = block[7] + v6;

    v2 += v0, v3 += v1, v6 += v4, v7 += v5;
    v4 += v0, v5 += v1, v6 += v2, v7 += v3;
    top[0] = larger_shorts(top[0], v0);
    top[1] = larger_shorts(top[1], larger_shorts(larger_shorts(v1, v2), v4));
    top[2] = larger_shorts(top[2], larger_shorts(larger_shorts(v3, v5), v6));
    top[3] = larger_shorts(top[3], v7);
}

/* Performs the steps between blocks, two at a time if possible, because stores dominate the
 * cost. */
static inline void outer_steps(shorts *table, uint32_t vectors)
{
    uint32_t step = 8;

    for (; 2 * step < vectors; step *= 4)
        for (uint32_t block = 0; block < vectors; block += 4 * step)
            for (shorts *at = table + block; at < table + block + step; at++) {
                shorts none = at[0], one = at[step] + none, two = at[2 * step];
                at[step] = one;
                at[3 * step] += two + one;
                at[2 * step] = two + none;
            }
    if (step < vectors)
        for (uint32_t k = 0; k < step; k++)
            table[step + k] += table[k];
}

static inline double zeta(struct throughput *t, const struct mass *masses, size_t n, unsigned ports)
{
    unsigned blocks = ports > LOW_PORTS + 3 ? 1u << (ports - LOW_PORTS - 3) : 1;
    shorts *table = (shorts *)t->table;
    const shorts ramp = *(const shorts_any *)RAMP;

    for (uint32_t k = 0; k < 8 * blocks; k++)
        table[k] = (shorts){0};
    /* The first steps of the transform add a mass to every superset of its low ports. */
    for (size_t i = 0; i < n; i++) {
        uint16_t low = (uint16_t)(masses[i].ports & (SHORTS - 1));
        shorts mask = (shorts)((ramp & low) == low);
        table[masses[i].ports >> LOW_PORTS] += mask & (uint16_t)masses[i].count;
    }
    outer_steps(table, 8 * blocks);

    /* Blocks are sorted by size. All high parts of one size share a vector and a division. top[k]
     * has the sets of @size + k ports. */
    flanes best = {0};
    shorts top[4] = {{0}};
    unsigned size = 0;
    for (const uint8_t *next = t->order + blocks, *end = next + blocks; next < end; next++) {
        if ((unsigned)__builtin_popcount(*next) != size) {
            best = with_sizes(best, top[0], LOW_SIZES[size], LOW_SIZES[size + 1]);
            top[0] = top[1], top[1] = top[2], top[2] = top[3], top[3] = (shorts){0};
            size++;
        }
        block_steps(table + *next * 8, top);
    }
    UNROLL
    for (unsigned k = 0; k < 4; k++)
        best = with_sizes(best, top[k], LOW_SIZES[size + k], LOW_SIZES[size + k + 1]);
    return fraction_of(largest(best), THROUGHPUT_COMMON[ports], ports);
}
