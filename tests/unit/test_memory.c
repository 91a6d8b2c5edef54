/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of memory: shares and latencies by hand and by a nested formula; clusters of reuse
 * distances; every shipped machine. */
#include <math.h>
#include <string.h>

#include "cmd/session.h"
#include "program/memory.h"
#include "program/modes.h"
#include "../support/support.h"

static const struct memory three = {
    .levels = {{{512, 8}, 5, 0, 0}, {{4096, 16}, 14, 2, 0}, {{32768, 16}, 50, 8, 0}},
    .count = 3,
    .latency = 300,
    .line_cycles = 20,
    .clock_hz = 3e9};

/* lambda = P1 l1 + (1 - P1)(P2 l2 + (1 - P2)(P3 l3 + (1 - P3) l)), where P is the hit rate of the
 * accesses that reach a level. */
static double nested(double distance)
{
    double before = 0, reach = 1, sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double hit = fmax(before, sdcm_hit(&three.levels[i].shape, distance)),
               p = before < 1 ? (hit - before) / (1 - before) : 0;
        sum += reach * p * three.levels[i].latency;
        reach *= 1 - p;
        before = hit;
    }
    return sum + reach * three.latency;
}

static void test_served(void **state)
{
    double served[MEMORY_LEVELS + 1];
    memory_served(&three, 3, 0, 1, served);
    assert_true(served[0] == 1 && served[3] == 0);
    assert_true(memory_latency(&three, served) == 5 && memory_line_cycles(&three, served) == 0);
    memory_served(&three, INFINITY, 0, 1, served);
    assert_true(served[0] == 0 && served[3] == 1);
    assert_true(memory_latency(&three, served) == 300 && memory_line_cycles(&three, served) == 20);
    for (double d = 1; d < 200000; d = floor(d * 1.3) + 1) {
        double sum = 0;
        memory_served(&three, d, 0, 1, served);
        for (size_t i = 0; i < 4; i++) {
            assert_true(served[i] >= 0);
            sum += served[i];
        }
        assert_float_equal(sum, 1, 1e-9);
        assert_float_equal(memory_latency(&three, served), nested(d), 1e-6);
    }
    /* A stride of a page uses one of the first level's 64 sets, which has eight ways. A stride that
     * is not a multiple of a line uses all sets. */
    memory_served(&three, 100, 4096, 1, served);
    assert_true(served[0] < 1e-3);
    memory_served(&three, 100, 4104, 1, served);
    assert_true(served[0] > 0.99);
    memory_served(&three, 100, 64, 1, served);
    assert_true(served[0] > 0.99);
    /* Steady walks fill the sets evenly, unlike random lines. */
    memory_served(&three, 511, 8, 1, served);
    assert_true(served[0] == 1);
    memory_served(&three, 576, 8, 1, served);
    assert_true(served[0] == 0);
    memory_served(&three, 440, 0, 1, served);
    assert_true(served[0] < 0.8);
    /* Nine lines between two uses exceed the eight ways of one set. Distributed over all 64 sets,
     * hardly one is in the same set. */
    memory_served(&three, 9, 4096, 1, served);
    assert_true(served[0] == 0);
    memory_served(&three, 9, 4096, 0, served);
    assert_true(served[0] > 0.99);
}

/* Returns the share of hits of repeated walks through @lines lines @apart sets apart in a cache of
 * 64 sets of eight ways that replaces the least recently used line. */
static double walked(unsigned lines, unsigned apart)
{
    unsigned sets[64][8], hits = 0;

    memset(sets, 0xff, sizeof sets);
    for (unsigned i = 0; i < 4 * lines; i++) {
        const unsigned line = i % lines;
        unsigned *set = sets[line * apart % 64], way = 0;
        while (way < 7 && set[way] != line)
            way++;
        hits += i >= 3 * lines && set[way] == line;
        memmove(set + 1, set, way * sizeof *set);
        set[0] = line;
    }
    return (double)hits / lines;
}

static void test_walk_sets(void **state)
{
    double served[MEMORY_LEVELS + 1];

    for (unsigned apart = 1; apart <= 8; apart++)
        for (unsigned lines = 32; lines < 640; lines++) {
            memory_served(&three, lines - 1, 64.0 * apart, 1, served);
            assert_true(fabs(served[0] - walked(lines, apart)) < 0.05);
        }
}

/* Other users of the third level replace lines by age, the oldest first. Of lines reused after the
 * time constant, 1/e remain. Of those reused after a tenth of it, nearly all remain. Only the
 * program uses the first two levels, unless other programs run on its CPU. */
static void test_kept_under_load(void **state)
{
    struct memory m = three;
    struct age points[] = {{8000, 0.01}, {12000, 0.1}};
    struct ages ages = {{.items = points, .count = 2}};
    double alone[MEMORY_LEVELS + 1], shared[MEMORY_LEVELS + 1];

    m.ages = &ages;
    m.kept[2] = 0.1;
    memory_served(&three, 12000, 0, 1, alone);
    memory_served(&m, 12000, 0, 1, shared);
    assert_true(alone[0] == shared[0] && alone[1] == shared[1] && alone[3] < 0.1);
    assert_float_equal(1 - shared[3], (1 - alone[3]) * exp(-1), 1e-9);
    memory_served(&three, 8000, 0, 1, alone);
    memory_served(&m, 8000, 0, 1, shared);
    assert_true(alone[0] == shared[0] && alone[1] == shared[1]);
    assert_float_equal(1 - shared[3], (1 - alone[3]) * exp(-0.01), 1e-9);
    memory_served(&three, 1000, 0, 1, alone);
    m.left[1] = 400;
    memory_served(&m, 1000, 0, 1, shared);
    assert_true(alone[0] == shared[0]);
    assert_float_equal(shared[0] + shared[1], fmax(alone[0], (alone[0] + alone[1]) * exp(-0.5)),
                       1e-9);
}

/* Ages of distances by hand. Of a hundred references 60 have a distance above 10 lines, and 20
 * above 40. The window first grows by a line with each of 60 references, then with each of 20. */
static void test_ages(void **state)
{
    struct run_bin bins[] = {
        {0, 40, 40, 0}, {10, 0, 0, 0}, {40, 40, 40, 0}, {100, 15, 15, 0}, {INFINITY, 5, 0, 0}};
    struct run_reference reference = {.references = 100, .bins = bins, .bin_count = 5};
    struct program p = {.reference_count = 1};
    struct program_run run = {.references = &reference};
    struct ages ages;

    ages_of(&p, &run, &ages);
    assert_float_equal(ages_at(&ages, 0), 0, 1e-12);
    assert_float_equal(ages_at(&ages, 30), 0.5, 1e-12);
    assert_float_equal(ages_at(&ages, 40), 40 / 60.0, 1e-12);
    assert_float_equal(ages_at(&ages, 44), 40 / 60.0 + 4 / 20.0, 1e-12);
    assert_float_equal(ages_at(&ages, 1000), 1, 1e-12);
    ages_done(&ages);
}

/* A few references between two clusters do not join them. A small cluster joins the nearer one.
 * First uses remain separate. */
static void test_modes(void **state)
{
    struct run_bin bins[] = {{1, 500, 500, 8},    {2, 100, 100, 8},    {50, 1, 0, 0},
                             {80, 300, 200, 64},  {90, 99, 99, 16},    {200, 1, 0, 0},
                             {1000, 200, 10, 64}, {INFINITY, 7, 7, 64}};
    struct run_reference r = {.references = 1208, .bins = bins, .bin_count = 8};
    struct mode modes[MODES_MOST];
    assert_int_equal(modes_find(&r, modes), 4);
    assert_true(modes[0].count == 600 && modes[0].distance == 700.0 / 600);
    assert_true(modes[1].count == 401 && modes[1].distance > 80 && modes[1].distance < 90);
    assert_true(modes[2].count == 200 && modes[2].regular == 10);
    assert_true(isinf(modes[3].distance) && modes[3].count == 7);
    assert_true(modes[0].step == 8 && modes[1].step == 64);
    struct mode part = modes_between(&r, 0, 250 / 1201.0);
    assert_true(part.distance == 1 && fabs(part.count - 250) < 1e-9);
    part = modes_between(&r, 600 / 1201.0, 1);
    assert_true(fabs(part.count - 601) < 1e-9 && part.distance > 300 && part.distance < 1000);
    part = modes_between(&r, 1100 / 1201.0, 1);
    assert_float_equal(part.distance, 1000, 1e-9);
    /* The stride of most references, although each bin has fewer than all bins before it. Loops of
     * a triangle with a single iteration access the same line again. */
    struct run_bin triangle[] = {
        {20, 100, 100, 0}, {24, 90, 90, 128}, {30, 150, 150, 128}, {34, 200, 200, 128}};
    r = (struct run_reference){.references = 540, .bins = triangle, .bin_count = 4};
    assert_int_equal(modes_find(&r, modes), 1);
    assert_true(modes[0].step == 128 && modes[0].regular == 540);
    assert_true(modes_between(&r, 0, 1).step == 128);
    /* No bin with this stride has as many references as the first bin. */
    struct run_bin level[] = {
        {20, 100, 100, 0}, {24, 90, 90, 128}, {28, 90, 90, 128}, {32, 90, 90, 128}};
    r = (struct run_reference){.references = 370, .bins = level, .bin_count = 4};
    assert_int_equal(modes_find(&r, modes), 1);
    assert_true(modes[0].step == 128 && run_step(&r) == 128);
    assert_true(modes_between(&r, 0, 1).step == 128);
}

/* A few references with far larger distances than all others form a cluster, even if each of their
 * bins is small. In one cluster with nearer references, their mean would be between both distances.
 * Very few references are dropped, and a few near ones join. */
static void test_far_modes(void **state)
{
    struct run_bin bins[] = {
        {1, 80000, 80000, 8}, {150, 19910, 19910, 64}, {4000, 40, 40, 64}, {4600, 50, 50, 64}};
    struct run_reference r = {.references = 100000, .bins = bins, .bin_count = 4};
    struct mode modes[MODES_MOST];
    assert_int_equal(modes_find(&r, modes), 3);
    assert_true(modes[1].distance == 150 && modes[1].count == 19910);
    assert_true(modes[2].count == 90 && modes[2].distance > 4000 && modes[2].distance < 4600);
    bins[2].count = bins[3].count = 4;
    assert_int_equal(modes_find(&r, modes), 2);
    bins[2] = (struct run_bin){400, 40, 40, 64};
    bins[3] = (struct run_bin){460, 50, 50, 64};
    assert_int_equal(modes_find(&r, modes), 2);
    assert_true(modes[1].count == 20000);
    /* The far bin is larger than a dropped one and smaller than a cluster. The second reference has
     * no far bin. */
    bins[3] = (struct run_bin){4600, 300, 300, 64};
    assert_int_equal(modes_find(&r, modes), 3);
    struct run_reference two = {.references = 300, .bins = bins, .bin_count = 1};
    assert_int_equal(modes_find(&two, modes), 1);
    /* Two far bins, distant from each other, are two clusters. A near one joins one of them. */
    struct run_bin apart[] = {{1, 79000, 79000, 8},
                              {150, 20000, 20000, 64},
                              {1000, 80, 80, 64},
                              {1100, 20, 20, 64},
                              {1000000, 90, 90, 64}};
    struct run_reference far = {.references = 99190, .bins = apart, .bin_count = 5};
    assert_int_equal(modes_find(&far, modes), 4);
    assert_true(modes[2].count == 100 && modes[2].distance == 1020 && modes[3].count == 90 &&
                modes[3].distance == 1000000);
    /* A small bin between clusters with many references is not a cluster. */
    apart[4].count = 9000;
    far.references = 108100;
    assert_int_equal(modes_find(&far, modes), 3);
    assert_true(modes[2].distance == 1000000 && modes[1].count == 20100);
}

/* Each machine has cache levels of growing latency and size, and memory. */
static void test_machines(void **state)
{
    static const char *const ids[] = {
        "sandybridge",    "ivybridge",      "haswell",     "broadwell",      "skylake",
        "skylake-avx512", "icelake-server", "alderlake-p", "sapphirerapids", "znver1",
        "znver2",         "znver3",         "znver4",      "cortex-a72",     "neoverse-n1",
        "neoverse-v2",    "ampere1"};
    struct session s;
    struct memory memory;
    session_init(&s);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct err err = {0};
        const struct machine *m = session_machine(&s, ids[i], &err);
        assert_non_null(m);
        if (!memory_of(m, &memory, &err))
            fail_msg("%s: %s", ids[i], err.what);
        for (size_t l = 1; l < memory.count; l++)
            if (!(memory.levels[l].latency > memory.levels[l - 1].latency &&
                  memory.levels[l].shape.lines > memory.levels[l - 1].shape.lines))
                fail_msg("%s: level %zu", ids[i], l + 1);
        assert_true(memory.latency > memory.levels[memory.count - 1].latency);
        /* Only Zen 3 is known to prefetch such strides. */
        assert_int_equal(memory_prefetched(&memory, 1024), strcmp(ids[i], "znver3") == 0);
    }
    struct err err = {0};
    assert_false(memory_of(session_machine(&s, "a64fx", &err), &memory, &err));
    assert_non_null(strstr(err.what, "lines of 64 bytes"));
    session_done(&s);
}

/* Slow loops over one to three streams of 12 MiB, measured on a virtual Golden Cove: cycles per
 * line with the core's own cycles, by micro-operations per line and stream. The reorder buffer has
 * 512 entries, and dependent loads take 530 cycles. */
static void test_slow_streams(void **state)
{
    static const struct { double streams, uops, core, measured; } seen[] = {
        {1, 176, 33, 105}, {1, 240, 43, 119}, {1, 320, 55, 142}, {1, 480, 83, 155},
        {1, 800, 139, 195}, {2, 320, 27, 77}, {2, 480, 40, 90}, {2, 800, 66, 107},
        {3, 480, 28, 56}, {3, 800, 45, 77}};
    struct memory slow = three;

    slow.ahead = 2.2;
    slow.stream_latency = 530;
    slow.line_cycles = 9;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const double window = 512 / seen[i].uops * seen[i].streams,
                     wait = memory_stream_wait(&slow, 3, window, seen[i].streams);
        assert_float_equal(memory_together(seen[i].core, wait), seen[i].measured,
                           0.2 * seen[i].measured);
        assert_float_equal(memory_wait_in(memory_together(seen[i].core, wait), seen[i].core), wait,
                           1e-9 * wait);
    }
    double before = INFINITY;
    for (double window = 0.25; window < 13.8; window += 0.25) {
        const double wait = memory_stream_wait(&slow, 3, window, 1);
        assert_true(wait < before && wait >= slow.line_cycles);
        before = wait;
    }
    assert_true(memory_stream_wait(&slow, 3, 14, 1) == 0);
    slow.ahead = 0;     /* a line waits at most for its own latency */
    assert_true(memory_stream_wait(&slow, 3, 0.1, 1) == slow.stream_latency);
    slow.ahead = NAN;   /* unknown: prefetchers are always ahead */
    assert_true(memory_stream_wait(&slow, 3, 1, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_served),    cmocka_unit_test(test_kept_under_load),
        cmocka_unit_test(test_walk_sets),
        cmocka_unit_test(test_ages),      cmocka_unit_test(test_modes),
        cmocka_unit_test(test_far_modes), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_slow_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
