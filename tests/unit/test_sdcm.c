/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack distance model and its histograms, compared with caches of randomly placed lines, and
 * with the sum with factorials. */
#include <math.h>

#include "base/rng.h"
#include "program/sdcm.h"
#include "../support/support.h"

/* Returns the hit rate if @d other lines are in random sets. The line remains if its set has fewer
 * other lines than ways. */
static double placed(double lines, double ways, unsigned d, struct rng *rng)
{
    const int rounds = 40000;
    uint64_t sets = (uint64_t)(lines / ways);
    int hits = 0;
    for (int i = 0; i < rounds; i++) {
        unsigned met = 0;
        for (unsigned k = 0; k < d; k++)
            met += rng_below(rng, sets) == 0;
        hits += met < ways;
    }
    return (double)hits / rounds;
}

static void test_random_placement(void **state)
{
    static const struct {
        double lines, ways;
        unsigned d;
    } cases[] = {{64, 1, 10},   {64, 1, 64},   {64, 2, 40},  {64, 4, 60},
                 {128, 8, 100}, {128, 8, 160}, {96, 12, 90}, {16, 4, 3}};
    struct rng rng;
    rng_seed(&rng, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double mine = sdcm_hit(&(struct cache_shape){cases[i].lines, cases[i].ways}, cases[i].d),
               its = placed(cases[i].lines, cases[i].ways, cases[i].d, &rng);
        if (fabs(mine - its) > 0.012)
            fail_msg("case %zu: %.4f instead of %.4f", i, mine, its);
    }
}

#define SETS 64u
#define WAYS 16u
#define PLACEMENTS 10

/* Uses @lines lines in random sets in turn. A full set evicts a random line. Returns the hit rate
 * in the steady state. */
static double by_turns(size_t lines, struct rng *rng)
{
    static size_t held[SETS][WAYS], count[SETS], set_of[4 * SETS * WAYS];
    size_t hits = 0, all = 0;

    for (size_t s = 0; s < SETS; s++)
        count[s] = 0;
    for (size_t i = 0; i < lines; i++)
        set_of[i] = (size_t)rng_below(rng, SETS);
    for (int round = 0; round < 60; round++)
        for (size_t i = 0; i < lines; i++) {
            size_t s = set_of[i], w = 0;
            while (w < count[s] && held[s][w] != i)
                w++;
            hits += round >= 20 && w < count[s];
            all += round >= 20;
            if (w == count[s])
                held[s][count[s] < WAYS ? count[s]++ : (size_t)rng_below(rng, WAYS)] = i;
        }
    return (double)hits / (double)all;
}

static void test_random_replacement(void **state)
{
    static const size_t lines[] = {300, 800, 1024, 1200, 1600, 2048, 3000, 4096};
    const struct cache_shape cache = {SETS * WAYS, WAYS};
    struct rng rng;

    rng_seed(&rng, 3);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double mine = sdcm_hit_random(&cache, (double)lines[i]), its = 0;
        for (int k = 0; k < PLACEMENTS; k++)
            its += by_turns(lines[i], &rng) / PLACEMENTS;
        if (fabs(mine - its) > 0.02)
            fail_msg("%zu lines: %.3f instead of %.3f", lines[i], mine, its);
    }
    assert_true(sdcm_hit_random(&cache, 5) == 1 && sdcm_hit_random(&cache, INFINITY) == 0);
    /* One large set: of lines of twice its capacity, the share h = exp(-2 (1 - h)) remains. */
    assert_float_equal(sdcm_hit_random(&(struct cache_shape){4096, 4096}, 8192), 0.2032, 1e-3);
    assert_true(sdcm_hit_random(&(struct cache_shape){4096, 4096}, INFINITY) == 0);
    for (double d = 1; d < 30000; d *= 1.1)
        assert_true(sdcm_hit_random(&cache, d * 1.1) <= sdcm_hit_random(&cache, d) + 0.005);
}

/* Returns the hit rate by the formula of sdcm.h, each term from factorials. */
static double by_factorials(double lines, double ways, double d)
{
    double sum = 0;
    for (double a = 0; a < ways && a <= d; a++)
        sum += exp(lgamma(d + 1) - lgamma(a + 1) - lgamma(d - a + 1)) * pow(ways / lines, a) *
               pow((lines - ways) / lines, d - a);
    return sum;
}

static void test_formula(void **state)
{
    for (double lines = 64; lines <= 65536; lines *= 4)
        for (double ways = 1; ways <= 16; ways *= 2)
            for (double d = 1; d < 4 * lines; d = floor(d * 1.7) + 1)
                assert_float_equal(sdcm_hit(&(struct cache_shape){lines, ways}, d),
                                   fmin(1, by_factorials(lines, ways, d)), 1e-6);
}

static void test_limits(void **state)
{
    struct cache_shape full = {512, 512}, sets = {512, 8};
    assert_true(sdcm_hit(&full, 511) == 1);
    assert_true(sdcm_hit(&full, 512) == 0);
    assert_true(sdcm_hit(&full, INFINITY) == 0);
    assert_true(sdcm_hit(&sets, 7) == 1);
    assert_true(sdcm_hit(&sets, INFINITY) == 0);
    assert_true(sdcm_hit(&sets, 1e9) < 1e-12);
    assert_float_equal(sdcm_hit(&sets, 400.5), (sdcm_hit(&sets, 400) + sdcm_hit(&sets, 401)) / 2,
                       1e-12);
    for (double d = 0; d < 2000; d++)
        assert_true(sdcm_hit(&sets, d + 1) <= sdcm_hit(&sets, d) + 1e-12);
}

static void test_histograms(void **state)
{
    struct reuse_histogram a = {0}, b = {0};
    reuse_histogram_add(&a, 1, 10);
    reuse_histogram_add(&a, 100, 5);
    reuse_histogram_add(&a, INFINITY, 3);
    reuse_histogram_add(&b, 1, 4);
    reuse_histogram_add(&b, 50, 2);
    reuse_histogram_add(&b, 70, 0);
    reuse_histogram_merge(&a, &b, 2);
    assert_int_equal(a.bins.count, 4);
    assert_true(a.bins.items[0].count == 18 && a.bins.items[1].distance == 50 &&
                a.bins.items[1].count == 4);
    assert_true(reuse_histogram_total(&a) == 30);
    assert_true(sdcm_misses_full(60, &a) == 8);
    assert_true(sdcm_misses_full(101, &a) == 3);
    reuse_histogram_done(&a);
    reuse_histogram_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_placement), cmocka_unit_test(test_random_replacement),
        cmocka_unit_test(test_formula),          cmocka_unit_test(test_limits),
        cmocka_unit_test(test_histograms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
