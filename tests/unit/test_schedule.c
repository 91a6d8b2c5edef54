/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "throughput/schedule.h"
#include "../support/oracle.h"
#include "../support/support.h"

#define MOST 20

static void assert_close(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fmax(1, expected))
        fail_msg("%.17g instead of %.17g", got, expected);
}

static void test_properties(void **state)
{
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 3000; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 10);
        size_t n = 1 + rng_below(&rng, MOST);
        struct mass masses[MOST], reversed[MOST];
        double pressure[MOST * 10], again[MOST * 10], totals[10], largest = 0;
        portset bottleneck;
        for (size_t i = 0; i < n; i++) {
            masses[i] =
                (struct mass){oracle_random_set(&rng, ports), 1 + (uint32_t)rng_below(&rng, 6)};
            reversed[n - 1 - i] = masses[i];
        }
        double bound = schedule_balance(masses, n, ports, pressure, totals, &bottleneck);
        assert_close(bound, oracle_naive(masses, n, ports));
        for (unsigned j = 0; j < ports; j++) {
            largest = fmax(largest, totals[j]);
            if (bottleneck >> j & 1)
                assert_close(totals[j], bound);
            else
                /* The returned bottleneck is the largest such set. */
                assert_true(totals[j] < bound - 1e-9);
        }
        assert_close(largest, bound);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (unsigned j = 0; j < ports; j++) {
                double p = pressure[i * ports + j];
                assert_true(p >= 0);
                if (!(masses[i].ports >> j & 1))
                    assert_true(p == 0);
                sum += p;
            }
            assert_close(sum, masses[i].count);
        }
        /* The order of rows has no influence. */
        schedule_balance(reversed, n, ports, again, NULL, NULL);
        for (size_t i = 0; i < n; i++)
            for (unsigned j = 0; j < ports; j++)
                assert_true(again[(n - 1 - i) * ports + j] == pressure[i * ports + j]);
    }
}

/* Finds the most even of all optimal schedules. Sets that share two ports divide their µops between
 * these in equal proportion. Only this schedule satisfies the optimality conditions of largest
 * entropy. */
static void test_most_even(void **state)
{
    struct rng rng;
    rng_seed(&rng, 12);
    for (int round = 0; round < 1000; round++) {
        enum { PORTS = 8 };
        size_t n = 2 + rng_below(&rng, MOST - 1);
        struct mass masses[MOST];
        double p[MOST][PORTS];
        for (size_t i = 0; i < n; i++)
            masses[i] = (struct mass){oracle_random_set(&rng, PORTS),
                                      1 + (uint32_t)rng_below(&rng, round % 2 ? 6 : 100000)};
        double bound = schedule_balance(masses, n, PORTS, &p[0][0], NULL, NULL);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                for (int a = 0; a < PORTS; a++)
                    for (int b = 0; b < a; b++)
                        if (p[i][a] > 0 && p[i][b] > 0 && p[k][a] > 0 && p[k][b] > 0)
                            assert_true(fabs(p[i][a] * p[k][b] - p[i][b] * p[k][a]) <=
                                        1e-9 * bound * bound);
    }
}

/* Nearly separable sets: one unit of the second row must use port 0. */
static void test_nearly_tight(void **state)
{
    struct mass masses[] = {{1, 99999}, {3, 100001}, {6, 100000}};
    double pressure[9], totals[3];
    assert_close(schedule_balance(masses, 3, 3, pressure, totals, NULL), 100000);
    for (int j = 0; j < 3; j++)
        assert_close(totals[j] / 100000, 1);
    assert_true(fabs(pressure[3] - 1) < 1e-6);
    assert_true(fabs(pressure[4] - 100000) < 1e-6);
    assert_true(pressure[7] < 1e-6);
    masses[2].ports = 4;
    schedule_balance(masses, 3, 3, pressure, totals, NULL);
    assert_true(fabs(pressure[3] - 1) < 1e-6);
    assert_true(fabs(pressure[4] - 100000) < 1e-6);
}

static void test_known_splits(void **state)
{
    /* One µop on four ports: a quarter each. */
    double pressure[3 * 4];
    schedule_balance(&(struct mass){0xf, 1}, 1, 4, pressure, NULL, NULL);
    for (int j = 0; j < 4; j++)
        assert_close(pressure[j], 0.25);
    /* {0}: 2, {0,1}: 2, {2,3}: 1. Ports 0 and 1 each have 2, so the second row only uses port 1. */
    struct mass nested[] = {{1, 2}, {3, 2}, {12, 1}};
    double totals[4];
    portset bottleneck;
    assert_close(schedule_balance(nested, 3, 4, pressure, totals, &bottleneck), 2);
    assert_int_equal(bottleneck, 3);
    assert_close(pressure[4], 0);
    assert_close(pressure[5], 2);
    assert_close(totals[2], 0.5);
    assert_close(totals[3], 0.5);
    assert_close(schedule_balance(NULL, 0, 4, pressure, totals, &bottleneck), 0);
    assert_int_equal(bottleneck, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties), cmocka_unit_test(test_known_splits),
        cmocka_unit_test(test_most_even), cmocka_unit_test(test_nearly_tight)};
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
