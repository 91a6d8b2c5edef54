/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accuracy figures, compared with values of scipy 1.10.1 and with independent definitions. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "model/metrics.h"
#include "throughput/predict.h"
#include "../support/support.h"

static void test_known_values(void **state)
{
    static const double x[] = {1, 2, 2, 4, 0.5, 8, 8, 8, 3, 1.25},
                        y[] = {1.1, 2, 1.75, 5, 0.5, 7, 9, 8, 2, 1};
    static const double ranks[] = {2, 4.5, 4.5, 7, 1, 9, 9, 9, 6, 3};
    double mine[10];
    assert_float_equal(metrics_mape(x, y, 10), 0.14377344877344878, 1e-15);
    assert_float_equal(metrics_pearson(x, y, 10), 0.9778172081855386, 1e-12);
    assert_float_equal(metrics_spearman(x, y, 10), 0.96612301172288, 1e-12);
    metrics_ranks(x, 10, mine);
    for (int i = 0; i < 10; i++)
        assert_true(mine[i] == ranks[i]);
}

static void test_degenerate(void **state)
{
    static const double one[] = {1, 1, 1}, two[] = {1, 2, 3};
    assert_true(isnan(metrics_mape(one, two, 0)));
    assert_true(isnan(metrics_pearson(one, two, 1)));
    assert_true(isnan(metrics_pearson(one, two, 3)));
    assert_true(isnan(metrics_spearman(two, one, 3)));
    assert_float_equal(metrics_pearson(two, two, 3), 1, 1e-15);
}

/* Compares with independent definitions: ranks by counting, Pearson from raw moments in long
 * double, Spearman from both. */
static void test_second_definitions(void **state)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 200; round++) {
        size_t n = 2 + rng_below(&rng, 40);
        double x[42], y[42], rank[2][42], mine[42];
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)(1 + rng_below(&rng, 12)) / 4;
            y[i] = round % 2 ? rng_unit(&rng) + 0.1 : (double)(1 + rng_below(&rng, 5));
        }
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < n; i++) {
                const double *v = side ? y : x;
                double below = 0, equal = 0;
                for (size_t k = 0; k < n; k++) {
                    below += v[k] < v[i];
                    equal += v[k] == v[i];
                }
                rank[side][i] = below + (equal + 1) / 2;
            }
        metrics_ranks(x, n, mine);
        for (size_t i = 0; i < n; i++)
            assert_true(mine[i] == rank[0][i]);
        for (int ranked = 0; ranked < 2; ranked++) {
            const double *a = ranked ? rank[0] : x, *b = ranked ? rank[1] : y;
            long double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0, m = (long double)n;
            for (size_t i = 0; i < n; i++) {
                sa += a[i], sb += b[i];
                saa += (long double)a[i] * a[i], sbb += (long double)b[i] * b[i],
                    sab += (long double)a[i] * b[i];
            }
            long double bottom = sqrtl(m * saa - sa * sa) * sqrtl(m * sbb - sb * sb);
            double got = ranked ? metrics_spearman(x, y, n) : metrics_pearson(x, y, n);
            if (bottom < 1e-9L)
                continue;
            assert_float_equal(got, (double)((m * sab - sa * sb) / bottom), 1e-9);
        }
    }
}

static void test_heat_map(void **state)
{
    static const double predicted[] = {0.1, 34.99, 99, 35}, measured[] = {0.1, 0.5, 34.2, 35};
    struct heat_map map;
    metrics_heat_map(predicted, measured, 4, 0, &map);
    assert_true(map.limit == 35);
    assert_int_equal(map.cell[0][0], 1);
    assert_int_equal(map.cell[34][0], 1);
    assert_int_equal(map.cell[34][34], 2);
    assert_int_equal(map.highest, 2);
    metrics_heat_map(predicted, measured, 4, 3.5, &map);
    assert_int_equal(map.cell[34][5], 1);
    assert_int_equal(map.cell[1][1], 1);
}

static void test_accuracy(void **state)
{
    struct ports ports = {0};
    struct experiments *t = experiments_new();
    double cycles[4];
    ports_add(&ports, "0", NULL);
    ports_add(&ports, "1", NULL);
    struct mapping *m = mapping_new(&ports);
    struct mapping_entry entry = {.form = (char *)"A", .latency = NAN};
    usage_add(&entry.usage, 3, 1);
    mapping_set(m, &entry);
    uint32_t a = names_add(&t->forms, "A"), b = names_add(&t->forms, "B");
    for (uint32_t i = 1; i <= 2; i++)
        experiments_set(t, experiments_add(t, (struct flat_term[]){{a, i}}, 1),
                        0.5 * i * (i == 2 ? 2 : 1), NAN, 0, NULL);
    experiments_set(t, experiments_add(t, (struct flat_term[]){{a, 1}, {b, 1}}, 2), 1, NAN, 0,
                    NULL);
    experiments_add(t, (struct flat_term[]){{a, 3}}, 1);
    throughput_predict(m, t, cycles);
    assert_true(cycles[0] == 0.5 && cycles[1] == 1 && isnan(cycles[2]) && cycles[3] == 1.5);
    struct accuracy got = metrics_accuracy(t, cycles);
    assert_int_equal(got.n, 2);
    assert_int_equal(got.unknown, 1);
    assert_float_equal(got.mape, 0.25, 1e-15);
    usage_done(&entry.usage);
    mapping_free(m);
    experiments_free(t);
}

/* Four slots per cycle. A load and its operation share a slot, and so do a store's address and its
 * data. Locked instructions execute one by one. */
static void test_issue(void **state)
{
    static const struct {
        const char *form, *usage;
        unsigned micro_ops, slots;
        double cycles;
    } rows[] = {
        {"MOV (R64, M64)", "1*p23", 1, 1, 0.5},
        {"MOV (M64, R64)", "1*p237+1*p4", 2, 1, 1},
        {"ADD (R64, M64)", "1*p0156+1*p23", 2, 1, 0.5},
        {"ADD (M64, R64)", "1*p0156+1*p23+1*p237+1*p4", 4, 2, 1},
        /* These forms have no memory operand and an operation that could share a slot. */
        {"CMPSB ()", "3*p0156+2*p23", 5, 5, 1.25},
        {"VPGATHERQQ (XMM, VSIB_XMM, XMM)", "2*p0156+2*p23", 4, 3, 1},
        {"NOP ()", "", 1, 1, 0.25},
        {"VDIVPD (YMM, YMM, M256)", "1*p0+1*p23+8*p[DV]", 0, 1, 8},
        {"XADD (R64, R64)", "3*p0156", 3, 3, 0.75},
        {"ADD_LOCK (M64, R64)", "2*p0156+1*p23+1*p237+1*p4", 5, 3, 18},
        {"XCHG (M64, R64)", "2*p0156+1*p23+1*p237+1*p4", 5, 3, 18},
    };
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "DV"};
    struct ports ports = {0};
    struct err err = {0};
    double cycles[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ports_add(&ports, names[i], NULL);
    struct machine *m = machine_new("test", &ports);
    struct experiments *t = experiments_new();
    machine_set_fact(m, "pipes", "DV", NULL, NULL);
    machine_set_fact(m, "issue_width", "4", NULL, NULL);
    machine_set_fact(m, "issue_domain", "fused", NULL, NULL);
    machine_set_fact(m, "lock_latency", "18", NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mapping_entry entry = {
            .form = (char *)rows[i].form, .latency = NAN, .micro_ops = rows[i].micro_ops};
        assert_true(usage_parse(rows[i].usage, &ports, &entry.usage, &err));
        mapping_set(m->mapping, &entry);
        usage_done(&entry.usage);
        experiments_add(t, (struct flat_term[]){{names_add(&t->forms, rows[i].form), 1}}, 1);
    }
    machine_predict(m, t, cycles);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(machine_slots(m, mapping_find(m->mapping, rows[i].form)), rows[i].slots);
        assert_float_equal(cycles[i], rows[i].cycles, 1e-12);
    }
    machine_free(m);
    experiments_free(t);
}

/* Inferred mappings have the slots of each form, or no slots at all. Without slots, they remain
 * without slots regardless of their µops. */
static void test_inferred_slots(void **state)
{
    struct ports ports = {0};
    double cycles[2];

    ports_add(&ports, "0", NULL);
    ports_add(&ports, "1", NULL);
    struct machine *m = machine_new("inferred", &ports);
    struct experiments *t = experiments_new();
    machine_set_fact(m, "issue_width", "4", NULL, NULL);
    mapping_set_issue_width(m->mapping, 4);
    mapping_set(m->mapping, &(struct mapping_entry){.form = (char *)"none", .latency = NAN});
    struct mapping_entry six = {.form = (char *)"six µops", .latency = NAN};
    assert_true(usage_parse("6*p01", &ports, &six.usage, NULL));
    mapping_set(m->mapping, &six);
    usage_done(&six.usage);
    experiments_add(t,
                    (struct flat_term[]){{names_add(&t->forms, "none"), 8},
                                         {names_add(&t->forms, "six µops"), 1}},
                    2);
    six = (struct mapping_entry){.form = (char *)"slots", .latency = NAN, .micro_ops = 6};
    mapping_set(m->mapping, &six);
    experiments_add(t, (struct flat_term[]){{names_add(&t->forms, "slots"), 1}}, 1);
    machine_predict(m, t, cycles);
    assert_float_equal(cycles[0], 3, 1e-12);
    assert_float_equal(cycles[1], 1.5, 1e-12);
    machine_free(m);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),       cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_second_definitions), cmocka_unit_test(test_heat_map),
        cmocka_unit_test(test_accuracy),           cmocka_unit_test(test_issue),
        cmocka_unit_test(test_inferred_slots),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
