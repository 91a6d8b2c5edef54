/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time by size of the arrays: by hand, compared with the sum over single lines, interpolated
 * between sizes, and for every shipped machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory_time.h"
#include "cmd/memory_curve.h"
#include "io/machine_file.h"
#include "../support/support.h"

static struct memory_costs costs(bool overlaps)
{
    struct memory_costs m = {.count = 3,
                             .bytes = {65536, 1048576, 16777216},
                             .first = 49152,
                             .second = 2097152,
                             .third = 8388608,
                             .overlaps = overlaps};
    static const double cycles[MEMORY_COSTS][3] = {
        {1, 1, 5},      {1, 1, 5}, {3, 3, 6}, {2, 2, 5.5}, {0.5, 0.5, 5}, {8, 8, 9},
        {8.5, 8.5, 14}, {1.5, 2, 10},  {1.5, 2, 10},  {3, 3, 12}, {2, 2, 7}, {1, 2, 8}, {2, 3, 12},
        {4, 6, 24},     {8, 12, 48}, {5, 7, 25}, {10, 14, 50}, {1, 1, 20},
        {14, 16, 300}, {42, 42, 100}, {12, 12, 20}};
    for (size_t i = 0; i < MEMORY_COSTS; i++)
        memcpy(m.cycles[i], cycles[i], sizeof cycles[i]);
    return m;
}

static struct stream walk(unsigned loads, unsigned stores)
{
    return (struct stream){.kind = STREAM_WALK,
                           .loads = loads,
                           .stores = stores,
                           .step = 64,
                           .high = 64,
                           .lines = 1,
                           .follows = STREAM_ALONE,
                           .fed_by = STREAM_ALONE};
}

static struct memory_time time_at(struct stream *items, size_t n, const struct memory_costs *m,
                                  const struct memory_core *core, double bytes)
{
    const struct streams s = {.items = {.items = items, .count = n, .capacity = n}};
    return memory_time_at(&s, m, core, bytes);
}

static double time_of(struct stream *items, size_t n, const struct memory_costs *m, double core,
                      double own, double bytes)
{
    const struct streams s = {.items = {.items = items, .count = n, .capacity = n}};
    return memory_time_at(&s, m, &(struct memory_core){.cycles = core, .own = own}, bytes).cycles;
}

static void test_by_hand(void **state)
{
    struct memory_costs m = costs(true), adds = costs(false);
    struct stream two[] = {walk(2, 0), walk(0, 2)}, loads[] = {walk(2, 0), walk(2, 0)};
    /* For data in the first level, only the core's cycles count. */
    assert_float_equal(time_of(two, 2, &m, 2, 1, 16384), 2, 1e-9);
    /* A written line costs 3, and 0.5 more. Lines that are only fetched cost 2. */
    assert_float_equal(time_of(two, 2, &m, 2, 1, 65536), 3.5, 1e-9);
    assert_float_equal(time_of(loads, 2, &m, 1, 1, 65536), 2, 1e-9);
    /* Core and lines overlap, and the slower of both counts. */
    assert_float_equal(time_of(loads, 2, &m, 4, 1, 65536), 4, 1e-9);
    /* ECM: 3 cycles of the core that do not overlap, and 2 of the lines */
    assert_float_equal(time_of(loads, 2, &adds, 4, 3, 65536), 5, 1e-9);
    assert_float_equal(time_of(loads, 2, &adds, 4, 1, 65536), 4, 1e-9);
    two[1].non_temporal = true;
    /* A copy takes the measured 8.5 cycles: 8 cycles beyond the caches, and half of the cycle of
     * the read line that caches hold. In memory, nothing overlaps. */
    assert_float_equal(time_of(two, 2, &m, 2, 1, 131072), 8.5, 1e-9);
    assert_float_equal(time_of(two, 2, &m, 2, 1, 33554432), 14, 1e-9);
    /* Half of the shorter time adds to the longer one: 2 and 8 cycles, 12 and 8 cycles. */
    struct stream many[] = {walk(2, 0), walk(2, 0), two[1]};
    assert_float_equal(time_of(many, 3, &m, 2, 1, 98304), 9, 1e-9);
    many[0].lines = 11;
    assert_float_equal(time_of(many, 3, &m, 2, 1, 98304), 16, 1e-9);
    struct stream chase = {.kind = STREAM_CHASE,
                           .hops = 2,
                           .lines = 2,
                           .follows = STREAM_ALONE,
                           .fed_by = STREAM_ALONE};
    assert_float_equal(time_of(&chase, 1, &m, 10, 1, 16777216), 600, 1e-9);
    /* A pointer chase after another load of its element. Beyond the first level, a link costs one
     * more load from that level, if the machine has reads_wait. */
    const struct memory_core core = {.cycles = 10, .reload = 5};
    chase.delayed = true;
    assert_float_equal(time_at(&chase, 1, &m, &core, 16777216).cycles, 600, 1e-9);
    m.reads_wait = true;
    assert_float_equal(time_at(&chase, 1, &m, &core, 16777216).cycles, 610, 1e-9);
    assert_float_equal(time_at(&chase, 1, &m, &core, 16384).cycles, 10, 1e-9);
    m.reads_wait = false;
    struct stream rows[] = {walk(1, 0), walk(1, 0)};
    rows[0].follows = 1;
    /* 100 iterations of two lines each, 12,800 bytes: from the first level */
    rows[0].distance = 6400;
    assert_float_equal(time_of(rows, 2, &m, 1, 1, 16777216), 5, 1e-9);
    /* The second access finds the line in the second-level cache. */
    rows[0].distance = 640000;
    assert_true(fabs(time_of(rows, 2, &m, 1, 1, 16777216) - 6) < 0.35);
    /* The reuse distance exceeds the caches, so both accesses count. */
    rows[0].distance = 64000000;
    assert_float_equal(time_of(rows, 2, &m, 1, 1, 16777216), 10, 1e-9);
}

static void assert_limit(struct stream *items, size_t n, double core, double bytes,
                         const char *expected)
{
    const struct memory_costs m = costs(true);
    const struct streams s = {.items = {.items = items, .count = n, .capacity = n}};
    const struct memory_time t =
        memory_time_at(&s, &m, &(struct memory_core){.cycles = core, .own = 1}, bytes);
    struct str text = {0};

    memory_limit_print(&t, &m, "core: ports", &text);
    assert_string_equal(str_text(&text), expected);
    str_done(&text);
}

/* The limit names the level that supplies the most lines. */
static void test_limits(void **state)
{
    struct stream two[] = {walk(2, 0), walk(0, 2)}, rows[] = {walk(1, 0), walk(1, 0)},
                  skips = walk(1, 0);
    struct stream chase = {.kind = STREAM_CHASE,
                           .hops = 1,
                           .lines = 1,
                           .follows = STREAM_ALONE,
                           .fed_by = STREAM_ALONE};
    struct stream gather = {.kind = STREAM_GATHER,
                            .loads = 1,
                            .lines = 1,
                            .follows = STREAM_ALONE,
                            .fed_by = STREAM_ALONE};

    assert_limit(two, 2, 2, 16384, "core: ports");
    assert_limit(two, 2, 2, 1048576, "L2 bandwidth");
    assert_limit(two, 2, 2, 4194304, "L3 bandwidth");
    assert_limit(two, 2, 2, 1e9, "memory bandwidth");
    assert_limit(two, 2, 1000, 1e9, "core: ports");
    two[1].non_temporal = true;
    assert_limit(two, 2, 2, 65536, "memory bandwidth (non-temporal)");
    assert_limit(&chase, 1, 2, 1048576, "L2 latency");
    assert_limit(&chase, 1, 2, 1e9, "memory latency");
    assert_limit(&gather, 1, 1, 1e9, "memory bandwidth (random)");
    skips.step = 256;
    assert_limit(&skips, 1, 1, 1e9, "memory bandwidth (strided)");
    rows[0].follows = 1;
    rows[0].distance = 640000;
    assert_limit(rows, 2, 0.5, 1e9, "memory bandwidth");
    /* Most lines are reused. 10,000 iterations of 41 lines are in memory, 600 in the second
     * level. */
    rows[0].lines = 40;
    rows[0].distance = 600 * 64;
    assert_limit(rows, 2, 0.5, 1e9, "L2 bandwidth");
}

static struct stream steps(int64_t step)
{
    struct stream s = walk(1, 0);
    s.step = step;
    return s;
}

/* Returns the misses of the second walk over @lines lines that are @apart lines apart. The cache
 * has @sets sets of @ways lines and LRU replacement. */
static unsigned walk_misses(unsigned sets, unsigned ways, unsigned lines, unsigned apart)
{
    static unsigned kept[4096][16];
    unsigned misses = 0;

    memset(kept, 0xff, sizeof kept);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < lines; i++) {
            unsigned line = i * apart, *set = kept[line % sets], way = 0;
            while (way < ways - 1 && set[way] != line)
                way++;
            misses += pass && set[way] != line;
            memmove(set + 1, set, way * sizeof *set);
            set[0] = line;
        }
    return misses;
}

/* The size of a walk is that of the smallest cache with which all lines are hits in the next walk.
 * With half the size, they are misses. */
static void test_held(void **state)
{
    const struct memory_costs m = costs(true);
    const struct memory_core core = {.cycles = 1};
    for (unsigned apart = 1; apart <= 48; apart++) {
        struct stream one = steps(64 * (int64_t)apart);
        const unsigned lines = 1024, ways = 16;
        const double held = time_at(&one, 1, &m, &core, 64.0 * lines * apart).held;
        const unsigned sets = (unsigned)(held / 64 / ways);
        assert_int_equal(walk_misses(sets, ways, lines, apart), 0);
        assert_true(walk_misses(sets / 2, ways, lines, apart) > lines / 2);
    }
    struct stream past[] = {walk(1, 0), walk(0, 1)};
    past[1].non_temporal = true;
    assert_float_equal(time_at(past, 2, &m, &core, 65536).held, 32768, 1e-9);
    struct stream gather[] = {
        walk(1, 0), {.kind = STREAM_GATHER, .loads = 1, .lines = 1, .follows = STREAM_ALONE}};
    assert_float_equal(time_at(gather, 2, &m, &core, 65536).held, 65536, 1e-9);
}

/* Loads 8 lines apart have twice as many lines in flight as loads 16 lines apart. If the latter are
 * faster, because a cache contains more of them, the cost is between those of 4 and 16 lines. */
static void test_eight_lines(void **state)
{
    static const struct { double some, cycles; } cases[] = {{6, 3}, {10, 5}, {0.75, 1.5}};
    const struct memory_core core = {.cycles = 0.1};
    struct stream one = steps(512);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_costs m = costs(true);
        for (size_t k = 0; k < 3; k++) {
            m.cycles[COST_PAGE][k] = 0;
            m.cycles[COST_SKIPPED][k] = 3;
            m.cycles[COST_EVERY_16][k] = cases[i].some;
        }
        assert_float_equal(time_at(&one, 1, &m, &core, 1048576).cycles, cases[i].cycles, 1e-9);
    }
}

/* A stride skips lines. A written line has the additional cost of stores, and each page a TLB
 * cost. */
static void test_steps(void **state)
{
    const struct memory_costs m = costs(true);
    const struct memory_core core = {.cycles = 0.1};
    /* Cycles of a line that is read, updated or written. Measured are steps of 4, 16 and 64 lines,
     * and stores with steps of 8 and 64 lines. Others are geometric means of two of these. Loads 8
     * lines apart cost half of those 16 lines apart, but at least those 4 lines apart. */
    const double all = cbrt(7 * 7 * 14), most = cbrt(7 * 14 * 14);
    const struct {
        int64_t step;
        double cycles, updated, written;
    } expected[] = {{64, 1, 1, 1},       {96, 1, 2, 3},      {128, 2, 3, 4},
                  {192, 1, 2, 3},      {256, 3, 4, 5},     {320, 1, 2, 3},
                  {384, 2, 3, 4},      {640, 2, 3, 4},     {768, 3, 4, 5},
                  {-256, 3, 4, 5},     {512, 3, 7, 7},
                  {1024, 6, all, all}, {2048, sqrt(72), most, most},
                  {4096, 12, 14, 14},  {12288, 12, 14, 14}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct stream one = steps(expected[i].step), written = one;
        const double crowding = memory_crowding((double)llabs(expected[i].step), MEMORY_PAGE),
                     bytes = 1048576 * (double)llabs(expected[i].step) / 64 / crowding;
        struct memory_costs no_page = m;
        for (size_t k = 0; k < 3; k++) {   /* These accesses occupy 1 MiB. */
            no_page.cycles[COST_PAGE][k] = 0;
            no_page.cycles[COST_ODD][k] = 1;
        }
        no_page.cycles[COST_SKIPPED][1] = 3;
        assert_float_equal(time_at(&one, 1, &no_page, &core, bytes).cycles, expected[i].cycles,
                           1e-9);
        written.stores = 1;
        if (expected[i].step != 64)
            assert_float_equal(time_at(&written, 1, &no_page, &core, bytes).cycles,
                               expected[i].updated, 1e-9);
        written.loads = 0;
        if (expected[i].step != 64)
            assert_float_equal(time_at(&written, 1, &no_page, &core, bytes).cycles,
                               expected[i].written, 1e-9);
    }
    struct stream pages = steps(4160), half = steps(2112);
    /* The lines fit in the second level, on 16,640 pages. */
    assert_float_equal(time_at(&pages, 1, &m, &core, 65 * 1048576.0).cycles, 20, 1e-9);
    assert_float_equal(time_at(&half, 1, &m, &core, 33 * 1048576.0).cycles, 20 * 2112 / 4096.0,
                       1e-9);
    /* 1,024 pages in 8.06 MiB cost the same as in 4 MiB, which is half of 4 doublings from 1 cycle
     * to 20. */
    struct stream apart = steps(8256);
    assert_float_equal(time_at(&apart, 1, &m, &core, 1024 * 8256).cycles, 10.5, 1e-9);
}

/* Beyond the last measured size the cost of a miss is extrapolated. The extrapolation uses the last
 * two sizes that a cache of 2 MiB contains in part. Sequential lines cost the same as at the last
 * size. */
static void test_beyond(void **state)
{
    struct memory_costs m = costs(true);
    const double hit = 10, miss = 100, cache = 2097152;

    m.measured = true;
    m.bytes[m.count - 1] = 16777216;
    m.bytes[m.count - 2] = 4194304;
    for (size_t k = m.count - 2; k < m.count; k++)
        m.cycles[COST_RANDOM][k] = m.cycles[COST_LOAD][k] =
            miss - (miss - hit) * cache / m.bytes[k];
    for (double bytes = 16777216; bytes < 1e12; bytes *= 3) {
        assert_float_equal(memory_cost_at(&m, COST_RANDOM, bytes),
                           miss - (miss - hit) * cache / bytes, 1e-9);
        assert_true(memory_cost_at(&m, COST_LOAD, bytes) == m.cycles[COST_LOAD][m.count - 1]);
    }
    m.measured = false;
    assert_true(memory_cost_at(&m, COST_RANDOM, 1e12) == m.cycles[COST_RANDOM][m.count - 1]);
}

/* Costs that are not needed do not change the time. */
static void test_needs(void **state)
{
    struct stream loops[] = {walk(1, 0), walk(0, 1), walk(1, 1), steps(192), steps(4160),
                             steps(256), steps(1024), steps(2048), steps(512), steps(4096),
                             {.kind = STREAM_GATHER, .loads = 1, .lines = 1,
                              .follows = STREAM_ALONE},
                             {.kind = STREAM_CHASE, .loads = 1, .lines = 1, .hops = 1,
                              .follows = STREAM_ALONE}};
    struct memory_core core = {.cycles = 2, .uops = 8, .window = 512, .scheduler = 100};

    for (size_t i = 0; i < 2; i++)   /* steps of 512 and 4,096 bytes are stored */
        loops[8 + i] = steps(i ? 4096 : 512), loops[8 + i].stores = 1;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        for (enum memory_cost cost = 0; cost < MEMORY_COSTS; cost++) {
            struct streams one = {0};
            struct memory_costs m = costs(true), other = m;
            bool needs[MEMORY_COSTS];
            vec_push(&one.items, loops[i]);
            memory_time_needs(&one, needs);
            for (size_t k = 0; k < other.count; k++)
                other.cycles[cost][k] *= 7;
            if (!needs[cost] && !(cost == COST_HOP && loops[i].kind == STREAM_GATHER))
                assert_true(memory_time_at(&one, &m, &core, 16777216).cycles ==
                            memory_time_at(&one, &other, &core, 16777216).cycles);
            vec_done(&one.items);
        }
}

/* Compares the remaining latency with few lines in flight with values by hand, from the times of
 * two loops with few lines and with some. */
static void test_ahead(void **state)
{
    struct memory_costs m = costs(true);
    struct stream one = walk(1, 0);
    struct memory_core core = {.cycles = 40, .uops = 252, .window = 512, .scheduler = 100};
    /* The measured loops take their measured times, 100 and 20 cycles. */
    const double few = cbrt(1e6 - 42.0 * 42 * 42), some = cbrt(8000 - 12.0 * 12 * 12);
    core.cycles = 42;
    assert_float_equal(time_at(&one, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], few, 1e-9);
    assert_float_equal(time_at(&one, 1, &m, &core, 16777216).cycles, 100, 1e-9);
    core.uops = 72;
    core.cycles = 12;
    assert_float_equal(time_at(&one, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], some, 0.05);
    assert_float_equal(time_at(&one, 1, &m, &core, 16777216).cycles, 20, 0.05);
    /* The latency of the second level is hidden. */
    assert_float_equal(time_at(&one, 1, &m, &core, 1048576).parts[LIMIT_AHEAD], 0, 1e-9);
    /* Less work per line means more lines in flight, and less visible latency. */
    double last = 1e9;
    for (core.uops = 500; core.uops > 3; core.uops *= 0.9) {
        const double now = time_at(&one, 1, &m, &core, 16777216).parts[LIMIT_AHEAD];
        assert_true(now <= last + 1e-9);
        last = now;
    }
    /* With less than one line in flight, a line takes its latency: two lines in 100 cycles each. */
    for (core.uops = 600; core.uops < 1e5; core.uops *= 3)
        assert_float_equal(time_at(&one, 1, &m, &core, 16777216).parts[LIMIT_AHEAD],
                           few * 512 / 252.0, 1e-9);
    /* With independent addresses, the number of lines in flight is the number of iterations that
     * fit. */
    struct stream gather = {.kind = STREAM_GATHER, .loads = 1, .lines = 1, .follows = STREAM_ALONE};
    core.uops = 64;
    assert_float_equal(time_at(&gather, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], 300 / 8.0,
                       1e-9);
    core.uops = 0;   /* The number of µops is unknown. */
    assert_float_equal(time_at(&one, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], 0, 1e-9);
}

/* An index of few bits limits the lines that a gather can access, whatever the size of the arrays.
 * A random update costs the larger of a load and a store. */
static void test_ranges(void **state)
{
    struct memory_costs m = costs(true);
    const struct memory_core core = {.cycles = 1};
    struct stream items[] = {walk(1, 0),
                             {.kind = STREAM_GATHER,
                              .loads = 1,
                              .stores = 1,
                              .lines = 1,
                              .scale = 4,
                              .high = 4,
                              .follows = STREAM_ALONE,
                              .fed_by = 0}};
    const struct streams s = {.items = {.items = items, .count = 2, .capacity = 2}};

    memset(m.cycles[COST_RANDOM], 0, sizeof m.cycles[COST_RANDOM]);
    items[0].step = 1;
    items[1].values = 256;
    items[0].lines = 1 / 64.0;
    assert_float_equal(stream_range(&items[1]), 4 * 256 + 4, 0);
    assert_true(isinf(stream_range(&items[0])));
    assert_float_equal(memory_region(&s, 1 << 24), 4 * 256 + 4, 0);
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM], 0, 0);

    items[1].values = 32768;
    assert_float_equal(stream_range(&items[1]), 4 * 32768 + 4, 0);
    assert_float_equal(memory_region(&s, 65536), 49152, 0);
    /* Updates take at least the time of stores. */
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM], 3, 1e-9);
    items[1].values = exp2(31);
    assert_float_equal(memory_region(&s, 1 << 24), .75 * (1 << 24), 0);
    /* The costs are those of loops that use a quarter of the arrays for indices, as this loop. */
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM], 12, 1e-9);
    /* 4 and 8 MiB are two and three of 4 doublings from 1 to 16 MiB, from 3 to 12 cycles. */
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 22).parts[LIMIT_RANDOM], 3 + 9 / 2.0,
                       1e-9);
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 23).parts[LIMIT_RANDOM], 3 + 27 / 4.0,
                       1e-9);
    m.cycles[COST_SINGLE][2] = 1000;
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM], 1000, 1e-9);
    /* Two loads are a third of the way from four to one, and more than four cost as four. */
    m.cycles[COST_RANDOM][2] = 10;
    items[1].stores = 0;
    items[1].lines = 2;
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM],
                       2 * (10 + 990 / 3.0), 1e-9);
    items[1].lines = 5;
    assert_float_equal(memory_time_at(&s, &m, &core, 1 << 24).parts[LIMIT_RANDOM], 50, 1e-9);
}

/* Prefetchers are ahead by more lines next to a written stream, as if more iterations were in
 * flight. */
static void test_ahead_written(void **state)
{
    struct memory_costs m = costs(true);
    struct stream both[] = {walk(1, 0), walk(0, 1)}, update[] = {walk(1, 1)};
    struct memory_core core = {.cycles = 40, .uops = 252, .window = 512, .scheduler = 100};
    const double written = time_at(both, 2, &m, &core, 16777216).parts[LIMIT_AHEAD];
    core.uops /= 2;
    assert_float_equal(time_at(both, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], written, 1e-9);
    core.uops *= 2;
    /* 4.06 lines between the 2.03 and the 7.11 of the measured loops: by the line through their
     * lines per cycle */
    const double few = 512.0 / 252, some = 512.0 / 72, few_wait = cbrt(1e6 - 42.0 * 42 * 42),
                 some_wait = cbrt(8000 - 12.0 * 12 * 12);
    assert_float_equal(written,
                       1 / (1 / few_wait + (1 / some_wait - 1 / few_wait) * few / (some - few)),
                       1e-6);
    assert_float_equal(time_at(update, 1, &m, &core, 16777216).parts[LIMIT_AHEAD], few_wait, 1e-9);
}

/* A single stream has its own cost, and so has nearly a stream with most of the lines: with @share
 * of them, the cost is at 2 - 1 / share of the way from the cost of several streams. */
static void test_alone(void **state)
{
    struct memory_costs m = costs(true);
    struct stream items[] = {walk(1, 0), walk(1, 0)};
    m.cycles[COST_ALONE][2] = 7;
    assert_float_equal(time_of(items, 1, &m, 1, 1, 16777216), 7, 1e-9);
    assert_float_equal(time_of(items, 2, &m, 1, 1, 16777216), 10, 1e-9);
    struct stream update = walk(1, 1);
    assert_float_equal(time_of(&update, 1, &m, 1, 1, 16777216), 5.5, 1e-9);
    /* Four lines of five, from 5 to 7 cycles: three quarters of the way */
    items[0].lines = .25;
    items[0].step = 16;
    assert_float_equal(time_of(items, 2, &m, 1, 1, 16777216), 1.25 * (5 + 2 * .75), 1e-9);
    items[0].lines = 1;
    items[0].step = 64;
    /* A written stream of a quarter of a line costs less than the lines that are fetched. */
    struct stream narrow[] = {walk(1, 0), walk(0, 1)};
    narrow[1].lines = .25;
    narrow[1].step = 16;
    m.cycles[COST_CONCURRENT][2] = m.cycles[COST_STORE][2] = 0.5;
    assert_float_equal(time_of(narrow, 2, &m, 1, 1, 16777216), 1.25 * (5 + 2 * .75), 1e-9);
    /* The largest stream is written: no stream has the cost of a single one. */
    m.cycles[COST_STORE][2] = 6;
    narrow[0].lines = .25, narrow[1].lines = 1;
    narrow[0].step = 16, narrow[1].step = 64;
    assert_float_equal(time_of(narrow, 2, &m, 1, 1, 16777216), 6.25, 1e-9);
}

/* On a machine with reads_wait, lines from beyond the second level arrive irregularly in a loop
 * that only reads. Its time then exceeds that of the core and that of the lines. */
static void test_irregular(void **state)
{
    struct memory_costs m = costs(true), adds = costs(false);
    struct stream items[] = {walk(1, 0), walk(0, 1)}, update = walk(1, 1);
    m.measured = adds.measured = true;
    assert_float_equal(time_of(items, 1, &m, 12, 1, 16777216), 12, 1e-9);
    m.reads_wait = adds.reads_wait = true;
    assert_float_equal(time_of(items, 1, &m, 12, 1, 16777216), 13, 1e-9);   /* 5, 12, 13 */
    assert_float_equal(time_of(items, 1, &m, 12, 1, 1048576), 12, 1e-9);
    assert_float_equal(time_of(items, 2, &m, 12, 1, 16777216), 12, 1e-9);
    assert_float_equal(time_of(&update, 1, &m, 12, 1, 16777216), hypot(12, 5.5), 1e-9);
    assert_float_equal(time_of(items, 1, &adds, 12, 1, 16777216), 12, 1e-9);
    m.measured = false;
    assert_float_equal(time_of(items, 1, &m, 12, 1, 16777216), 12, 1e-9);
}

/* Compares the time of any number of streams with the sum of costs line by line over many
 * iterations. */
static void test_line_by_line(void **state)
{
    struct memory_costs m = costs(true);
    for (unsigned loads = 0; loads < 5; loads++)
        for (unsigned stores = 0; stores < 12; stores++)   /* stores%4 write, stores/4 update */
            for (double bytes = 65536; bytes <= 16777216; bytes *= 4) {
                const unsigned written_only = stores % 4, updates = stores / 4;
                struct stream items[10];
                double fetched = 0, written = 0;
                size_t n = 0;
                for (unsigned i = 0; i < loads; i++)
                    items[n++] = walk(1, 0);
                for (unsigned i = 0; i < written_only; i++)
                    items[n++] = walk(0, 1);
                for (unsigned i = 0; i < updates; i++)
                    items[n++] = walk(1, 1);
                for (unsigned iteration = 0; n && iteration < 100; iteration++)
                    for (size_t i = 0; i < n; i++) {
                        fetched += memory_cost_at(&m, COST_LOAD, bytes);
                        written += memory_cost_at(&m,
                                                  !items[i].stores ? COST_CONCURRENT
                                                  : items[i].loads ? COST_UPDATE
                                                                   : COST_STORE,
                                                  bytes);
                    }
                double expected = fmax(1, (stores && written > fetched ? written : fetched) / 100);
                assert_float_equal(time_of(items, n, &m, 1, 1, bytes), expected, 1e-6);
            }
}

static void test_costs(void **state)
{
    struct memory_costs m = costs(true);
    assert_float_equal(memory_cost_at(&m, COST_LOAD, 1000), 0, 1e-12);
    assert_float_equal(memory_cost_at(&m, COST_LOAD, 49152), 0, 1e-12);
    assert_float_equal(memory_cost_at(&m, COST_STREAMED, 1000), 8, 1e-12);
    /* This is halfway between 1M and 16M on a logarithmic scale. */
    assert_float_equal(memory_cost_at(&m, COST_LOAD, 4194304), 3, 1e-12);
    assert_float_equal(memory_cost_at(&m, COST_LOAD, 1e12), 5, 1e-12);
    double last = 0;
    /* Times increase with the size. */
    for (double bytes = 4096; bytes < 1e9; bytes *= 1.07) {
        double now = memory_cost_at(&m, COST_RANDOM, bytes);
        assert_true(now >= last - 1e-12);
        last = now;
    }
    assert_string_equal(memory_level_at(&m, 4096), "L1");
    assert_string_equal(memory_level_at(&m, 1e6), "L2");
    assert_string_equal(memory_level_at(&m, 4e6), "L3");
    assert_string_equal(memory_level_at(&m, 1e8), "memory");
    /* Two sizes beyond the second level are too few to determine the size of the third. */
    assert_float_equal(memory_third_seen(&m), 0, 1e-12);
}

/* The time by a machine's facts is finite, grows with the size, and converges to its bandwidth. */
static void test_machines(void **state)
{
    static const char *const ids[] = {
        "skylake", "sapphirerapids", "skylake-avx512", "znver3", "apple-m1", "lunarlake-p",
        "neoverse-v3", "neoverse-v2", "alderlake-p", "zen5-charted", "ampere1"};
    static const enum memory_cost lines[] = {COST_LOAD, COST_UPDATE, COST_RANDOM, COST_HOP};
    unsigned known = 0;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct err err = {0};
        struct memory_costs m;
        struct machine *machine = machine_load_shipped(ids[i], &err);
        assert_non_null(machine);
        if (memory_costs_of(machine, &m, &err)) {
            known++;
            double last = 0;
            for (size_t k = sizeof lines / sizeof *lines; k-- > 0;) {
                last = 0;
                for (double bytes = 8192; bytes < 1e10; bytes *= 2) {
                    double now = memory_cost_at(&m, lines[k], bytes);
                    assert_true(isfinite(now) && now >= last);
                    last = now;
                }
            }
            assert_float_equal(64 / last * m.clock_hz * 1e-9,
                               strtod(machine_fact(machine, "memory_bandwidth"), NULL), 1e-6);
        } else {
            assert_int_equal(err.code, ERR_MISSING);
        }
        machine_free(machine);
    }
    assert_true(known >= 2);
}

/* Any text is a range of sizes within the limits, or is rejected with a reason. */
static void test_sizes(void **state)
{
    static const char letters[] = "0123456789KMGkmg..-+exn ";
    unsigned seed = 7, taken = 0;
    double from, to;
    struct err err;
    for (unsigned i = 0; i < 200000; i++) {
        char text[12];
        size_t length = 0;
        while (length < sizeof text - 1 && (seed = seed * 1103515245 + 12345) >> 28)
            text[length++] = letters[(seed >> 16) % (sizeof letters - 1)];
        text[length] = '\0';
        err = (struct err){0};
        if (memory_curve_sizes(text, &from, &to, &err)) {
            taken++;
            assert_true(from >= MEMORY_CURVE_LEAST && from <= to && to <= MEMORY_CURVE_MOST);
        } else {
            assert_int_equal(err.code, ERR_USAGE);
        }
    }
    assert_true(taken > 100);
    assert_true(memory_curve_sizes("16K..512M", &from, &to, &err));
    assert_true(from == 16384 && to == 536870912);
    assert_true(memory_curve_sizes("1g", &from, &to, &err) && from == 1073741824 && to == from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_held),          cmocka_unit_test(test_steps),
        cmocka_unit_test(test_eight_lines),
        cmocka_unit_test(test_ahead),         cmocka_unit_test(test_ahead_written),
        cmocka_unit_test(test_ranges),        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_irregular),     cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_needs),         cmocka_unit_test(test_line_by_line),
        cmocka_unit_test(test_costs),         cmocka_unit_test(test_machines),
        cmocka_unit_test(test_sizes)};
    return cmocka_run_group_tests_name("memory_time", tests, NULL, NULL);
}
