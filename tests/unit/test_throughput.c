/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle.h"

static void assert_close(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fmax(1, expected))
        fail_msg("%.17g instead of %.17g", got, expected);
}

static size_t random_masses(struct rng *rng, unsigned ports, size_t most, struct mass *masses)
{
    size_t n = 1 + rng_below(rng, most);
    for (size_t i = 0; i < n; i++)
        masses[i] = (struct mass){oracle_random_set(rng, ports), 1 + (uint32_t)rng_below(rng, 5)};
    return n;
}

static const char *const engines[] = {"portable", "avx2", "avx512"};

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
            for (size_t k = 0; k < 3; k++)
                if (throughput_use_engine(t, engines[k]))
                    assert_close(throughput_of_masses(t, masses, n), naive);
            portset bottleneck;
            assert_close(throughput_bottleneck(t, masses, n, &bottleneck), naive);
            uint64_t within = 0;
            for (size_t i = 0; i < n; i++)
                within += masses[i].ports & ~bottleneck ? 0 : masses[i].count;
            assert_close((double)within / portset_size(bottleneck), naive);
        }
        throughput_free(t);
    }
}

/* Few µops over many ports, many over few, and counts past the exact range of floats. */
static void test_shapes(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 3000; round++) {
        unsigned ports = 1 + (unsigned)rng_below(&rng, 12);
        struct throughput *t = throughput_new(ports);
        struct mass masses[64];
        size_t n = random_masses(&rng, ports, round % 3 ? 6 : 64, masses);
        if (round % 5 == 0)
            for (size_t i = 0; i < n; i++)
                masses[i].count = 1 + (uint32_t)rng_below(&rng, 1000000);
        double naive = oracle_naive(masses, n, ports);
        for (size_t k = 0; k < 3; k++)
            if (throughput_use_engine(t, engines[k]))
                assert_close(throughput_of_masses(t, masses, n), naive);
        throughput_free(t);
    }
}

/* 32 ports, 40 µops: beyond the naive form; the linear program is the oracle. */
static void test_wide_machines(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 32);
    struct throughput *t = throughput_new(32);
    for (int round = 0; round < 20; round++) {
        struct mass masses[40];
        for (size_t i = 0; i < 40; i++)
            masses[i] = (struct mass){oracle_random_set(&rng, 32) & oracle_random_set(&rng, 32) & oracle_random_set(&rng, 32), 1 + (uint32_t)rng_below(&rng, 9)};
        for (size_t i = 0; i < 40; i++)
            masses[i].ports |= 1u << rng_below(&rng, 32);
        assert_close(throughput_of_masses(t, masses, 40), oracle_lp(masses, 40, 32));
    }
    throughput_free(t);
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

/* Batches give what single evaluations give. */
static void test_batches(void **state)
{
    (void)state;
    enum { PORTS = 9, FORMS = 40, COUNT = 500 };
    struct ports names = {0};
    struct rng rng;
    struct err err;
    rng_seed(&rng, 3);
    for (int i = 0; i < PORTS; i++)
        assert_true(ports_add(&names, (char[]){(char)('0' + i), 0}, &err));
    struct mapping *m = mapping_new(&names), *other;
    for (int i = 0; i < FORMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "F%d", i);
        struct mapping_entry entry = {.form = name, .latency = 1};
        for (uint64_t k = rng_below(&rng, 5); k > 0; k--)
            usage_add(&entry.usage, oracle_random_set(&rng, PORTS), 1 + (uint32_t)rng_below(&rng, 3));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    other = mapping_copy(m);
    assert_true(mapping_equal(m, other));

    struct experiment *experiments = calloc(COUNT, sizeof *experiments);
    for (int i = 0; i < COUNT; i++)
        for (uint64_t k = rng_below(&rng, 8); k > 0; k--)
            experiment_add(&experiments[i], mapping_at(m, rng_below(&rng, FORMS))->form, 1 + (uint32_t)rng_below(&rng, 3));
    struct flat_mapping *flat = flat_mapping_new(m), *flat_other = flat_mapping_new(other);
    struct flat_experiments *compiled = flat_experiments_new(m, experiments, COUNT, &err);
    assert_non_null(compiled);
    struct throughput *t = throughput_new(PORTS);
    double cycles[COUNT];
    for (size_t k = 0; k < 3; k++) {
        if (!throughput_use_engine(t, engines[k]))
            continue;
        throughput_batch(t, flat, compiled, cycles);
        for (int i = 0; i < COUNT; i++) {
            double across[2];
            const struct flat_mapping *maps[2] = {flat, flat_other};
            assert_close(cycles[i], throughput_of(m, &experiments[i], NULL));
            throughput_across(t, maps, 2, compiled->terms + compiled->start[i], compiled->start[i + 1] - compiled->start[i], across);
            assert_true(across[0] == across[1]);
            assert_close(across[0], cycles[i]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_three_agree), cmocka_unit_test(test_shapes), cmocka_unit_test(test_wide_machines),
        cmocka_unit_test(test_pmevo_figures),   cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests_name("throughput", tests, NULL, NULL);
}
