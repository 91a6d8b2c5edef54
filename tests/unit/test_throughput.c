/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throughput/columns.h"
#include "throughput/engine.h"
#include "throughput/throughput.h"
#include "../support/oracle.h"
#include "../support/support.h"

static void assert_close(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fmax(1, expected))
        fail_msg("%.17g instead of %.17g", got, expected);
}

/* Sums are integers and there is a single division, so results agree exactly. */
static void assert_exact(double got, double expected)
{
    if (got != expected)
        fail_msg("%.17g instead of %.17g", got, expected);
}

static size_t random_masses(struct rng *rng, unsigned ports, size_t most, struct mass *masses)
{
    size_t n = 1 + rng_below(rng, most);
    for (size_t i = 0; i < n; i++)
        masses[i] = (struct mass){oracle_random_set(rng, ports), 1 + (uint32_t)rng_below(rng, 5)};
    return n;
}

#define ENGINES 3
static const char *const engines[ENGINES] = {"portable", "avx2", "avx512"};
static size_t taken[ENGINES][METHOD_COUNT];

/* Checks every method of every engine of this CPU, both forced and chosen freely. */
static void assert_every_way(struct throughput *t, const struct mass *masses, size_t n,
                             double expected)
{
    for (size_t k = 0; k < ENGINES; k++) {
        if (!throughput_use_engine(t, engines[k]))
            continue;
        assert_exact(throughput_of_masses(t, masses, n), expected);
        for (unsigned method = 0; method < METHOD_COUNT; method++) {
            double got = throughput_by(t, method, masses, n);
            if (isnan(got))
                continue;
            assert_exact(got, expected);
            taken[k][method]++;
        }
    }
}

/* The definition, the linear program and the engine agree. */
static void test_all_three_agree(void **state)
{
    struct rng rng;
    rng_seed(&rng, 20);
    for (unsigned ports = 1; ports <= 20; ports++) {
        struct throughput *t = throughput_new(ports);
        for (int round = 0; round < (ports <= 10 ? 200 : ports <= 14 ? 40 : 6); round++) {
            struct mass masses[24];
            size_t n = random_masses(&rng, ports, 24, masses);
            double naive = oracle_naive(masses, n, ports);
            assert_close(oracle_lp(masses, n, ports), naive);
            assert_every_way(t, masses, n, naive);
            portset bottleneck;
            assert_exact(throughput_bottleneck(t, masses, n, &bottleneck), naive);
            uint64_t within = 0;
            for (size_t i = 0; i < n; i++)
                within += masses[i].ports & ~bottleneck ? 0 : masses[i].count;
            assert_exact((double)within / portset_size(bottleneck), naive);
        }
        throughput_free(t);
    }
}

/* Compares the methods for few µops on many ports, many on few, small disjoint sets, and counts
 * beyond the exact range of each method. */
static void test_shapes(void **state)
{
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 3000; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 14);
        struct throughput *t = throughput_new(ports);
        struct mass masses[100];
        size_t n = random_masses(&rng, ports, round % 3 ? 6 : 100, masses);
        for (size_t i = 0; i < n; i++) {
            portset small =
                masses[i].ports & oracle_random_set(&rng, ports) & oracle_random_set(&rng, ports);
            if (round % 2 && small)
                masses[i].ports = small;
            if (round % 5 == 0)
                masses[i].count = 1 + (uint32_t)rng_below(&rng, 1u << (10 + round % 22));
        }
        assert_every_way(t, masses, n, oracle_naive(masses, n, ports));
        throughput_free(t);
    }
    struct throughput *t = throughput_new(1);
    for (size_t k = 0; k < ENGINES; k++)
        for (unsigned method = 0; method < METHOD_COUNT && throughput_use_engine(t, engines[k]);
             method++)
            assert_true(taken[k][method] > 1000);
    throughput_free(t);
}

/* Compares the methods on two separate bottlenecks whose ratios differ minimally, within the limits
 * of mass. Single precision must not confuse them. */
static void test_near_ties(void **state)
{
    static const uint32_t limits[] = {900, ZETA_MASS_MAX, SUBSETS_MASS_MAX};
    for (size_t l = 0; l < 3; l++)
        for (unsigned b = 1; b <= 16; b++)
            for (unsigned d = 1; d <= 16; d++) {
                struct throughput *t = throughput_new(b + d);
                /* Compares a/b with c/d, where a + c = limit and c is just below, at or just above
                 * a * d / b. */
                uint32_t a = limits[l] * b / (b + d), c = limits[l] - a;
                for (int more = -1; more <= 1; more++) {
                    struct mass masses[2] = {{(1u << b) - 1, a + (uint32_t)more},
                                             {((1u << d) - 1) << b, c - (uint32_t)more}};
                    if (masses[0].count == 0 || masses[1].count == 0)
                        continue;
                    double first = (double)masses[0].count / b,
                           second = (double)masses[1].count / d;
                    assert_every_way(t, masses, 2,
                                     fmax(fmax(first, second), (double)limits[l] / (b + d)));
                }
                throughput_free(t);
            }
}

/* Compares the methods at their limits: the most µops for subsets, for gathering, for the flow; the
 * largest masses. */
static void test_limits(void **state)
{
    struct rng rng;
    rng_seed(&rng, 99);
    static const size_t sizes[] = {SUBSETS_MAX, SUBSETS_MAX + 1, GATHER_MAX, GATHER_MAX + 1, 400};
    static const uint64_t totals[] = {ZETA_MASS_MAX, ZETA_MASS_MAX + 1, SUBSETS_MASS_MAX,
                                      SUBSETS_MASS_MAX + 1, 1ull << 39};
    struct mass *masses = calloc(FLOW_SETS, sizeof *masses);
    for (unsigned ports = 4; ports <= 16; ports += 4) {
        struct throughput *t = throughput_new(ports);
        for (size_t s = 0; s < 5; s++)
            for (size_t k = 0; k < 5; k++) {
                uint64_t left = totals[k];
                size_t n = sizes[s];
                for (size_t i = 0; i < n; i++) {
                    uint64_t share = i + 1 == n ? left : left / (n - i);
                    share = share > UINT32_MAX ? UINT32_MAX : share;
                    masses[i] = (struct mass){oracle_random_set(&rng, ports), (uint32_t)share};
                    left -= share;
                }
                assert_every_way(t, masses, n, oracle_naive(masses, n, ports));
            }
        throughput_free(t);
    }
    /* Every set of 10 ports, and one more distinct set than the capacity: the limit of the flow. */
    struct throughput *t = throughput_new(10);
    for (uint32_t i = 0; i < 1023; i++)
        masses[i] = (struct mass){i + 1, 1 + i % 7};
    assert_exact(throughput_of_masses(t, masses, 1023), oracle_naive(masses, 1023, 10));
    throughput_free(t);
    t = throughput_new(11);
    for (uint32_t i = 0; i < FLOW_SETS; i++)
        masses[i] = (struct mass){2047 - i, 1 + i % 7};
    assert_exact(throughput_of_masses(t, masses, FLOW_SETS), oracle_naive(masses, FLOW_SETS, 11));
    throughput_free(t);
    free(masses);
}

/* For 21 to 32 ports the definition takes too long, so the linear program is the oracle. */
static void test_wide_machines(void **state)
{
    struct rng rng;
    rng_seed(&rng, 32);
    for (int round = 0; round < 60; round++) {
        unsigned ports = 21 + (unsigned)round % 12;
        struct throughput *t = throughput_new(ports);
        struct mass masses[40];
        size_t n = round % 2 ? 40 : 1 + rng_below(&rng, SUBSETS_MAX);
        for (size_t i = 0; i < n; i++) {
            portset set = oracle_random_set(&rng, ports) & oracle_random_set(&rng, ports) &
                          oracle_random_set(&rng, ports);
            masses[i] =
                (struct mass){set | 1u << rng_below(&rng, ports), 1 + (uint32_t)rng_below(&rng, 9)};
        }
        double flow = throughput_by(t, METHOD_FLOW, masses, n);
        assert_close(flow, oracle_lp(masses, n, ports));
        assert_every_way(t, masses, n, flow);
        throughput_free(t);
    }
}

static void test_columns(void **state)
{
    /* {0,1} connects ports 0 and 1, and port 2 is separate. No column contains both. */
    const portset sets[] = {1, 3, 4, 1};
    portset columns[3];
    assert_int_equal(columns_list(sets, 4, 3, columns), 3);
    assert_int_equal(columns[0] | columns[1], 1 | 4);
    assert_int_equal(columns[2], 3);
    assert_true(columns_list(sets, 4, 2, columns) == SIZE_MAX);
    assert_int_equal(columns_list(NULL, 0, 0, columns), 0);
}

/* The bound is the largest mass within a column, divided by its size. No other port set is
 * needed. */
static void test_columns_suffice(void **state)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 300; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 9);
        struct mass masses[12];
        portset sets[12], columns[1 << 9];
        size_t n = random_masses(&rng, ports, 12, masses);
        for (size_t i = 0; i < n; i++)
            sets[i] = masses[i].ports;
        size_t count = columns_list(sets, n, 1u << ports, columns);
        double bound = 0;
        for (size_t c = 0; c < count; c++) {
            uint64_t within = 0;
            for (size_t i = 0; i < n; i++)
                within += masses[i].ports & ~columns[c] ? 0 : masses[i].count;
            bound = fmax(bound, (double)within / portset_size(columns[c]));
        }
        assert_exact(bound, oracle_naive(masses, n, ports));
    }
}

static struct mapping *figure_mapping(const char *const usages[][2], const char *const *ports)
{
    struct ports names = {0};
    struct err err;
    for (; *ports; ports++)
        assert_true(ports_add(&names, *ports, &err));
    struct mapping *m = mapping_new(&names);
    for (; (*usages)[0]; usages++) {
        struct mapping_entry entry = {.form = (char *)(*usages)[0], .latency = NAN};
        assert_true(usage_parse((*usages)[1], &names, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* PMEvo, figures 2 and 3: {add: 2, mul: 1, store: 1} takes 1.5 cycles, limited by {P1, P2}. With
 * several µops per form it takes 2.5 cycles. */
static void test_pmevo_figures(void **state)
{
    static const char *const ports[] = {"1", "2", "3", NULL};
    static const char *const two_level[][2] = {
        {"mul", "1*p1"}, {"add", "1*p12"}, {"sub", "1*p12"}, {"store", "1*p3"}, {NULL, NULL}};
    static const char *const three_level[][2] = {
        {"mul", "2*p1"}, {"add", "1*p12"}, {"sub", "1*p12"}, {"store", "1*p12+1*p3"}, {NULL, NULL}};
    struct experiment e;
    struct err err;
    struct str unknown = {0};

    assert_true(experiment_parse("2*add + mul + store", &e, &err));
    struct mapping *m = figure_mapping(two_level, ports);
    assert_close(throughput_of(m, &e, &unknown), 1.5);
    mapping_free(m);
    m = figure_mapping(three_level, ports);
    assert_close(throughput_of(m, &e, &unknown), 2.5);
    assert_string_equal(str_text(&unknown), "");
    experiment_done(&e);
    assert_true(experiment_parse("nothing + add", &e, &err));
    assert_close(throughput_of(m, &e, &unknown), 0.5);
    assert_string_equal(str_text(&unknown), "nothing\n");
    experiment_done(&e);
    mapping_free(m);
    str_done(&unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_three_agree), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_near_ties),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wide_machines),   cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_suffice), cmocka_unit_test(test_pmevo_figures),
    };
    return cmocka_run_group_tests_name("throughput", tests, NULL, NULL);
}
