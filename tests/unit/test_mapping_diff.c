/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "model/mapping_diff.h"

static struct mapping *mapping(const char *port_names, const char *const (*forms)[2])
{
    struct ports ports = {0};
    struct err err = {0};
    for (const char *at = port_names; *at; at++)
        assert_true(ports_add(&ports, (char[]){*at, 0}, &err));
    ports.pipes = strchr(port_names, 'D') ? (portset)1 << (strchr(port_names, 'D') - port_names) : 0;
    struct mapping *m = mapping_new(&ports);
    for (; (*forms)[0]; forms++) {
        struct mapping_entry entry = {.form = (char *)(*forms)[0], .latency = NAN, .source = ""};
        assert_true(usage_parse((*forms)[1], &ports, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

static void test_kinds(void **state)
{
    (void)state;
    static const char *const left[][2] = {{"same", "1*p01+1*p2"}, {"pipe", "1*p0+4*pD"}, {"narrow", "1*p0+1*p12"}, {"wide", "2*p012"}, {"other", "1*p0"},
                                          {"few", "1*p0"}, {"many", "2*p0+1*p1"}, {"left", "1*p0"}, {NULL, NULL}};
    static const char *const right[][2] = {{"same", "1*p2+1*p01"}, {"pipe", "1*p0+5*pD"}, {"narrow", "1*p01+1*p12"}, {"wide", "1*p01+1*p12"}, {"other", "1*p2"},
                                           {"few", "2*p0"}, {"many", "2*p0"}, {"right", "1*p0"}, {NULL, NULL}};
    static const enum diff_kind expected[] = {DIFF_PIPES, DIFF_NARROWER, DIFF_WIDER, DIFF_PORTS, DIFF_FEWER, DIFF_MORE};
    struct mapping *a = mapping("012D", left), *b = mapping("012D", right);
    struct mapping_diff *d = mapping_diff_new(a, b, true);
    assert_false(d->renamed);
    assert_int_equal(d->shared, 7);
    assert_int_equal(d->only_a, 1);
    assert_int_equal(d->only_b, 1);
    assert_int_equal(d->kinds[DIFF_NONE], 1);
    assert_int_equal(d->count, 6);
    for (size_t i = 0; i < d->count; i++) {
        assert_int_equal(d->forms[i].kind, expected[i]);
        assert_int_equal(d->kinds[expected[i]], 1);
    }
    mapping_diff_free(d);
    mapping_free(a);
    mapping_free(b);
}

/* All permutations: the oracle of the assignment. */
static double best_of(const double *gain, unsigned n, unsigned row, unsigned used)
{
    double best = -INFINITY;
    if (row == n)
        return 0;
    for (unsigned j = 0; j < n; j++)
        if (!(used >> j & 1))
            best = fmax(best, gain[row * n + j] + best_of(gain, n, row + 1, used | 1u << j));
    return best;
}

static void test_assignment(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 500; round++) {
        unsigned n = 1 + (unsigned)rng_below(&rng, 7), column_of[PORTS_MAX], used = 0;
        double gain[49], sum = 0;
        for (unsigned i = 0; i < n * n; i++)
            gain[i] = (double)rng_below(&rng, round % 2 ? 4 : 1000) - (round % 3 ? 0 : 2);
        assignment_best(gain, n, column_of);
        for (unsigned i = 0; i < n; i++) {
            assert_true(column_of[i] < n && !(used >> column_of[i] & 1));
            used |= 1u << column_of[i];
            sum += gain[i * n + column_of[i]];
        }
        assert_true(fabs(sum - best_of(gain, n, 0, 0)) < 1e-9);
    }
}

/* A mapping with its ports shuffled and named anew is the same mapping. */
static void test_renaming(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 23);
    for (int round = 0; round < 50; round++) {
        unsigned n = 3 + (unsigned)rng_below(&rng, 8), to[PORTS_MAX];
        struct ports pa = {0}, pb = {0};
        for (unsigned i = 0; i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "A%u", i);
            assert_true(ports_add(&pa, name, NULL));
            snprintf(name, sizeof name, "B%u", i);
            assert_true(ports_add(&pb, name, NULL));
            to[i] = i;
        }
        for (unsigned i = n - 1; i > 0; i--) {
            unsigned k = (unsigned)rng_below(&rng, i + 1), kept = to[i];
            to[i] = to[k];
            to[k] = kept;
        }
        struct mapping *a = mapping_new(&pa), *b = mapping_new(&pb);
        for (unsigned f = 0; f < 30 + n; f++) {
            char form[16];
            struct usage ua = {0}, ub = {0};
            snprintf(form, sizeof form, "form%u", f);
            for (unsigned u = 0; u < 1 + f % 3; u++) {
                /* One form per port alone, more often for later ports: otherwise ports may be exchangeable. */
                portset set = f < n ? (portset)1 << f : 1 + (portset)rng_below(&rng, (1u << n) - 1), other = 0;
                uint32_t count = f < n ? f + 1 : 1 + (uint32_t)rng_below(&rng, 3);
                for (unsigned i = 0; i < n; i++)
                    other |= set >> i & 1 ? (portset)1 << to[i] : 0;
                usage_add(&ua, set, count);
                usage_add(&ub, other, count);
            }
            mapping_set(a, &(struct mapping_entry){form, ua, NAN, 0, ""});
            mapping_set(b, &(struct mapping_entry){form, ub, NAN, 0, ""});
            usage_done(&ua);
            usage_done(&ub);
        }
        struct mapping_diff *d = mapping_diff_new(a, b, true);
        assert_true(d->renamed);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(d->to_a[to[i]], (int)i);
        assert_int_equal(d->count, 0);
        assert_int_equal(d->kinds[DIFF_NONE], 30 + n);
        mapping_diff_free(d);
        mapping_free(a);
        mapping_free(b);
    }
}

/* Different numbers of ports: those without a partner drop out of the usages. */
static void test_lone_ports(void **state)
{
    (void)state;
    static const char *const left[][2] = {{"x", "1*pA"}, {"y", "2*pB"}, {"z", "1*pAB"}, {NULL, NULL}};
    static const char *const right[][2] = {{"x", "1*p1"}, {"y", "2*p2+1*p3"}, {"z", "1*p12"}, {NULL, NULL}};
    struct mapping *a = mapping("AB", left), *b = mapping("123", right);
    struct mapping_diff *d = mapping_diff_new(a, b, true);
    assert_true(d->renamed);
    assert_int_equal(d->to_a[0], 0);
    assert_int_equal(d->to_a[1], 1);
    assert_int_equal(d->to_a[2], -1);
    assert_int_equal(d->kinds[DIFF_NONE], 3);
    mapping_diff_free(d);
    mapping_free(a);
    mapping_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_assignment), cmocka_unit_test(test_renaming), cmocka_unit_test(test_lone_ports),
    };
    return cmocka_run_group_tests_name("mapping_diff", tests, NULL, NULL);
}
