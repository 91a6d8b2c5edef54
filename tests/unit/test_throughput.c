/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "throughput/engine.h"
#include "../support/oracle.h"

static void assert_close(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fmax(1, expected))
        fail_msg("%.17g instead of %.17g", got, expected);
}

/* Sums are integers and the winner is divided once: not even the last bit may differ. */
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

/* Every method of every engine this CPU has, forced, and the free choice. */
static void assert_every_way(struct throughput *t, const struct mass *masses, size_t n, double expected)
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

/* The definition, the linear program and the engine. */
static void test_all_three_agree(void **state)
{
    (void)state;
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

/* Few µops over many ports, many over few, small sets that fall apart, and counts past the exact range of each method. */
static void test_shapes(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 3000; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 14);
        struct throughput *t = throughput_new(ports);
        struct mass masses[100];
        size_t n = random_masses(&rng, ports, round % 3 ? 6 : 100, masses);
        for (size_t i = 0; i < n; i++) {
            portset small = masses[i].ports & oracle_random_set(&rng, ports) & oracle_random_set(&rng, ports);
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
        for (unsigned method = 0; method < METHOD_COUNT && throughput_use_engine(t, engines[k]); method++)
            assert_true(taken[k][method] > 1000);
    throughput_free(t);
}

/* Two separate bottlenecks whose ratios differ by as little as the limits of mass allow: floats must not mistake one for the other. */
static void test_near_ties(void **state)
{
    (void)state;
    static const uint32_t limits[] = {900, ZETA_MASS_MAX, SUBSETS_MASS_MAX};
    for (size_t l = 0; l < 3; l++)
        for (unsigned b = 1; b <= 16; b++)
            for (unsigned d = 1; d <= 16; d++) {
                struct throughput *t = throughput_new(b + d);
                /* a/b against c/d with a + c = limit, c the nearest to a d / b from below and from above. */
                uint32_t a = limits[l] * b / (b + d), c = limits[l] - a;
                for (int more = -1; more <= 1; more++) {
                    struct mass masses[2] = {{(1u << b) - 1, a + (uint32_t)more}, {((1u << d) - 1) << b, c - (uint32_t)more}};
                    if (masses[0].count == 0 || masses[1].count == 0)
                        continue;
                    double first = (double)masses[0].count / b, second = (double)masses[1].count / d;
                    assert_every_way(t, masses, 2, fmax(fmax(first, second), (double)limits[l] / (b + d)));
                }
                throughput_free(t);
            }
}

/* At the limits of each method: the most µops for subsets, for gathering, for the flow; the heaviest masses. */
static void test_limits(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 99);
    static const size_t sizes[] = {SUBSETS_MAX, SUBSETS_MAX + 1, GATHER_MAX, GATHER_MAX + 1, 400};
    static const uint64_t totals[] = {ZETA_MASS_MAX, ZETA_MASS_MAX + 1, SUBSETS_MASS_MAX, SUBSETS_MASS_MAX + 1, 1ull << 39};
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
    /* Every set of 10 ports, and one distinct set more than that fits: the flow's own limit. */
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

/* 21 to 32 ports: beyond the definition; the linear program is the oracle. */
static void test_wide_machines(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 32);
    for (int round = 0; round < 60; round++) {
        unsigned ports = 21 + (unsigned)round % 12;
        struct throughput *t = throughput_new(ports);
        struct mass masses[40];
        size_t n = round % 2 ? 40 : 1 + rng_below(&rng, SUBSETS_MAX);
        for (size_t i = 0; i < n; i++) {
            portset set = oracle_random_set(&rng, ports) & oracle_random_set(&rng, ports) & oracle_random_set(&rng, ports);
            masses[i] = (struct mass){set | 1u << rng_below(&rng, ports), 1 + (uint32_t)rng_below(&rng, 9)};
        }
        double flow = throughput_by(t, METHOD_FLOW, masses, n);
        assert_close(flow, oracle_lp(masses, n, ports));
        assert_every_way(t, masses, n, flow);
        throughput_free(t);
    }
}

static void test_unions(void **state)
{
    (void)state;
    /* Ports 0 and 1 hang together through {0,1}, port 2 stands alone: no column joins it. */
    struct unions *u = unions_new((const portset[]){1, 3, 4, 1}, 4, 3);
    assert_non_null(u);
    assert_int_equal(u->count, 3);
    assert_true(u->common == 2);
    assert_int_equal(unions_row_size(u), UNIONS_LANES);
    int16_t *row = unions_rows_new(u, 1);
    assert_int_equal(unions_row(u, (const struct mass[]){{1, 5}, {3, 4}, {4, 7}}, 3, row), 16);
    for (size_t k = 0; k < unions_row_size(u); k++)
        assert_int_equal(row[k], u->columns[k] == 1 ? 5 : u->columns[k] == 3 ? 9 : u->columns[k] == 4 ? 7 : 0);
    assert_int_equal(unions_row(u, (const struct mass[]){{1, UNIONS_MASS_MAX}}, 1, row), UNIONS_MASS_MAX);
    assert_int_equal(unions_row(u, (const struct mass[]){{1, UNIONS_MASS_MAX}, {1, 1}}, 2, row), UINT32_MAX);
    free(row);
    unions_free(u);
    assert_null(unions_new((const portset[]){1, 3, 4, 1}, 4, 2));
    u = unions_new(NULL, 0, 0);
    assert_int_equal(u->count, 0);
    unions_free(u);
}

/* One form varies, the sum of the others is precomputed: the same as all µops together. */
static void test_rows(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 300; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 9);
        struct throughput *t = throughput_new(ports);
        struct mass masses[12];
        portset sets[12];
        size_t n = random_masses(&rng, ports, 10, masses) + 1, cut = rng_below(&rng, n);
        masses[n - 1] = (struct mass){oracle_random_set(&rng, ports), 1};
        for (size_t i = 0; i < n; i++)
            sets[i] = masses[i].ports;
        struct unions *u = unions_new(sets, n, 1 << ports);
        int16_t *rows = unions_rows_new(u, 2);
        unions_row(u, masses, cut, rows);
        unions_row(u, masses + cut, n - cut, rows + unions_row_size(u));
        for (size_t i = 0; i < cut; i++)
            masses[i].count *= 3;
        for (size_t k = 0; k < ENGINES; k++)
            if (throughput_use_engine(t, engines[k]))
                assert_exact(throughput_of_rows(t, u, (const int16_t *const[]){rows, rows + unions_row_size(u)}, (const uint32_t[]){3, 1}, 2),
                             oracle_naive(masses, n, ports));
        assert_exact(throughput_of_rows(t, u, NULL, NULL, 0), 0);
        free(rows);
        unions_free(u);
        throughput_free(t);
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

/* PMEvo, figures 2 and 3: {add: 2, mul: 1, store: 1} takes 1.5 cycles, bound by {P1, P2}. */
static void test_pmevo_figures(void **state)
{
    (void)state;
    static const char *const ports[] = {"1", "2", "3", NULL};
    static const char *const two_level[][2] = {{"mul", "1*p1"}, {"add", "1*p12"}, {"sub", "1*p12"}, {"store", "1*p3"}, {NULL, NULL}};
    static const char *const three_level[][2] = {{"mul", "2*p1"}, {"add", "1*p12"}, {"sub", "1*p12"}, {"store", "1*p12+1*p3"}, {NULL, NULL}};
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

/* A mapping of 60 forms that draw their µops from @stock sets. */
static struct mapping *random_mapping(struct rng *rng, unsigned ports, size_t stock)
{
    struct ports names = {0};
    struct err err;
    portset sets[64];

    for (unsigned i = 0; i < ports; i++) {
        char name[16];
        snprintf(name, sizeof name, "P%u", i);
        assert_true(ports_add(&names, name, &err));
    }
    for (size_t i = 0; i < stock; i++)
        sets[i] = oracle_random_set(rng, ports);
    struct mapping *m = mapping_new(&names);
    for (int i = 0; i < 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "F%d", i);
        struct mapping_entry entry = {.form = name, .latency = 1};
        for (uint64_t k = rng_below(rng, 5); k > 0; k--)
            usage_add(&entry.usage, sets[rng_below(rng, stock)], i == 7 ? 40000 : 1 + (uint32_t)rng_below(rng, 3));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* Batches give what single evaluations give: with sums of one group of columns, of several, and without. */
static void test_batches(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static const struct {
        unsigned ports;
        size_t stock, groups;   /* 2: more than one */
    } shapes[] = {{9, 3, 1}, {5, 40, 1}, {9, 40, 2}, {17, 60, 0}, {32, 3, 1}};
    struct rng rng;
    struct err err;
    rng_seed(&rng, 3);
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        struct mapping *m = random_mapping(&rng, shapes[shape].ports, shapes[shape].stock), *other = mapping_copy(m);
        assert_true(mapping_equal(m, other));
        struct experiment *experiments = calloc(COUNT, sizeof *experiments);
        for (int i = 0; i < COUNT; i++)
            for (uint64_t k = rng_below(&rng, i % 50 ? 8 : 30); k > 0; k--)
                experiment_add(&experiments[i], mapping_at(m, rng_below(&rng, 60))->form, 1 + (uint32_t)rng_below(&rng, 3));
        struct flat_mapping *flat = flat_mapping_new(m), *flat_other = flat_mapping_new(other);
        size_t groups = flat->unions ? flat->unions->groups : 0;
        assert_int_equal(groups > 2 ? 2 : groups, shapes[shape].groups);
        struct flat_experiments *compiled = flat_experiments_new(m, experiments, COUNT, &err);
        assert_non_null(compiled);
        struct throughput *t = throughput_new(shapes[shape].ports);
        double cycles[COUNT];
        for (size_t k = 0; k < ENGINES; k++) {
            if (!throughput_use_engine(t, engines[k]))
                continue;
            throughput_batch(t, flat, compiled, cycles);
            for (int i = 0; i < COUNT; i++) {
                double across[2];
                const struct flat_mapping *maps[2] = {flat, flat_other};
                assert_exact(cycles[i], throughput_of(m, &experiments[i], NULL));
                throughput_across(t, maps, 2, compiled->terms + compiled->start[i], compiled->start[i + 1] - compiled->start[i], across);
                assert_exact(across[0], cycles[i]);
                assert_exact(across[1], cycles[i]);
            }
        }
        struct experiment unknown = {0};
        experiment_add(&unknown, "NOT THERE", 1);
        assert_null(flat_experiments_new(m, &unknown, 1, &err));
        assert_non_null(strstr(err.what, "NOT THERE"));
        experiment_done(&unknown);
        for (int i = 0; i < COUNT; i++)
            experiment_done(&experiments[i]);
        free(experiments);
        flat_experiments_free(compiled);
        flat_mapping_free(flat);
        flat_mapping_free(flat_other);
        throughput_free(t);
        mapping_free(m);
        mapping_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_three_agree), cmocka_unit_test(test_shapes), cmocka_unit_test(test_near_ties),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_wide_machines), cmocka_unit_test(test_unions),
        cmocka_unit_test(test_rows),            cmocka_unit_test(test_pmevo_figures), cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests_name("throughput", tests, NULL, NULL);
}
