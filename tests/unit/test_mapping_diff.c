/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "model/mapping_diff.h"
#include "model/mapping_overlay.h"
#include "../support/support.h"

static struct mapping *mapping(const char *port_names, const char *const (*forms)[2])
{
    struct ports ports = {0};
    struct err err = {0};
    for (const char *at = port_names; *at; at++)
        assert_true(ports_add(&ports, (char[]){*at, 0}, &err));
    ports.pipes =
        strchr(port_names, 'D') ? (portset)1 << (strchr(port_names, 'D') - port_names) : 0;
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
    static const char *const left[][2] = {
        {"same", "1*p01+1*p2"}, {"pipe", "1*p0+4*pD"}, {"narrow", "1*p0+1*p12"},
        {"wide", "2*p012"},     {"other", "1*p0"},     {"few", "1*p0"},
        {"many", "2*p0+1*p1"},  {"left", "1*p0"},      {NULL, NULL}};
    static const char *const right[][2] = {
        {"same", "1*p2+1*p01"},  {"pipe", "1*p0+5*pD"}, {"narrow", "1*p01+1*p12"},
        {"wide", "1*p01+1*p12"}, {"other", "1*p2"},     {"few", "2*p0"},
        {"many", "2*p0"},        {"right", "1*p0"},     {NULL, NULL}};
    static const enum diff_kind expected[] = {DIFF_PIPES, DIFF_NARROWER, DIFF_WIDER,
                                              DIFF_PORTS, DIFF_FEWER,    DIFF_MORE};
    struct mapping *a = mapping("012D", left), *b = mapping("012D", right);
    struct mapping_diff *d = mapping_diff_new(a, b, true, NULL);
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

/* Returns the best gain over all permutations: the oracle of the assignment. */
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

/* A mapping with permuted and renamed ports is equal. */
static void test_renaming(void **state)
{
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
                /* Form f has f + 1 µops, all on port f. Without these forms, ports might be
                 * interchangeable. */
                portset set = f < n ? (portset)1 << f : 1 + (portset)rng_below(&rng, (1u << n) - 1),
                        other = 0;
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
        struct mapping_diff *d = mapping_diff_new(a, b, true, NULL);
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

/* Computes the agreement for an assignment of B's ports by an independent method: µop by µop, port
 * by port, form by form. */
static double agreement_by_hand(const struct mapping *a, const struct mapping *b,
                                const double *uses, const unsigned *to)
{
    double sum = 0, all = 0;
    unsigned n = mapping_ports(a)->count;

    for (size_t f = 0; f < mapping_count(a); f++)
        all += uses[f];
    for (size_t f = 0; f < mapping_count(a); f++) {
        const struct usage *x = &mapping_at(a, f)->usage, *y = &mapping_at(b, f)->usage;
        double shared = 0, most[2] = {0}, weight = 1. / (double)mapping_count(a) + uses[f] / all;
        for (unsigned p = 0; p < n; p++) {
            double here = 0, there = 0;
            for (unsigned u = 0; u < x->count; u++)
                here += x->uops[u].ports >> to[p] & 1
                            ? (double)x->uops[u].count / __builtin_popcount(x->uops[u].ports)
                            : 0;
            for (unsigned u = 0; u < y->count; u++)
                there += y->uops[u].ports >> p & 1
                             ? (double)y->uops[u].count / __builtin_popcount(y->uops[u].ports)
                             : 0;
            shared += fmin(here, there);
            most[0] += here;
            most[1] += there;
        }
        double larger = fmax(most[0], most[1]);
        sum += weight * (larger > 0 ? shared / larger + (shared > larger - 1e-6) : 2);
    }
    return sum;
}

static double best_agreement(const struct mapping *a, const struct mapping *b, const double *uses,
                             unsigned *to, unsigned at, unsigned n)
{
    double best = -INFINITY;

    if (at == n)
        return agreement_by_hand(a, b, uses, to);
    for (unsigned i = at; i < n; i++) {
        unsigned kept = to[at];
        to[at] = to[i];
        to[i] = kept;
        best = fmax(best, best_agreement(a, b, uses, to, at + 1, n));
        kept = to[at];
        to[at] = to[i];
        to[i] = kept;
    }
    return best;
}

/* A mapping and its copy with shuffled ports and a third of the forms changed. The agreement of the
 * matching equals that of the best permutation of the ports. */
static void test_best_matching(void **state)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 60; round++) {
        enum { FORMS = 24 };
        unsigned n = 3 + (unsigned)rng_below(&rng, 4), order[PORTS_MAX], found[PORTS_MAX];
        struct ports ports = {0}, other_ports = {0};
        double uses[FORMS];
        for (unsigned i = 0; i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "A%u", i);
            assert_true(ports_add(&ports, name, NULL));
            name[0] = 'B';
            assert_true(ports_add(&other_ports, name, NULL));
            order[i] = i;
        }
        struct mapping *a = mapping_new(&ports), *b = mapping_new(&other_ports);
        for (unsigned f = 0; f < FORMS; f++) {
            char form[16];
            struct usage ua = {0}, ub = {0};
            snprintf(form, sizeof form, "form%u", f);
            for (unsigned u = 0; u < 1 + f % 3; u++) {
                portset set = 1 + (portset)rng_below(&rng, (1u << n) - 1), other = 0;
                uint32_t count = 1 + (uint32_t)rng_below(&rng, 2);
                usage_add(&ua, set, count);
                if (rng_below(&rng, 3) == 0)
                    set = 1 + (portset)rng_below(&rng, (1u << n) - 1);
                for (unsigned i = 0; i < n; i++)
                    other |= set >> i & 1 ? (portset)1 << (i + 1) % n : 0;
                usage_add(&ub, other, count);
            }
            mapping_set(a, &(struct mapping_entry){form, ua, NAN, 0, ""});
            mapping_set(b, &(struct mapping_entry){form, ub, NAN, 0, ""});
            usage_done(&ua);
            usage_done(&ub);
            uses[f] = (double)rng_below(&rng, 100);
        }
        struct mapping_diff *d = mapping_diff_new(a, b, true, uses);
        for (unsigned j = 0; j < n; j++) {
            assert_true(d->to_a[j] >= 0 && d->agrees[j] >= 0 && d->agrees[j] <= 1);
            found[j] = (unsigned)d->to_a[j];
        }
        double best = best_agreement(a, b, uses, order, 0, n),
               here = agreement_by_hand(a, b, uses, found);
        if (here < best - 1e-9)
            fail_msg("round %d, %u ports: %g, not %g", round, n, here, best);
        mapping_diff_free(d);
        mapping_free(a);
        mapping_free(b);
    }
}

/* If the numbers of ports differ, ports without a counterpart are removed from the usages. */
static void test_lone_ports(void **state)
{
    static const char *const left[][2] = {
        {"x", "1*pA"}, {"y", "2*pB"}, {"z", "1*pAB"}, {NULL, NULL}};
    static const char *const right[][2] = {
        {"x", "1*p1"}, {"y", "2*p2+1*p3"}, {"z", "1*p12"}, {NULL, NULL}};
    struct mapping *a = mapping("AB", left), *b = mapping("123", right);
    struct mapping_diff *d = mapping_diff_new(a, b, true, NULL);
    assert_true(d->renamed);
    assert_int_equal(d->to_a[0], 0);
    assert_int_equal(d->to_a[1], 1);
    assert_int_equal(d->to_a[2], -1);
    assert_int_equal(d->kinds[DIFF_NONE], 3);
    mapping_diff_free(d);
    mapping_free(a);
    mapping_free(b);
}

/* Inferred usages of some forms replace those of the tables, on the matched ports. All other usages
 * are unchanged. */
static void test_overlay(void **state)
{
    static const char *const tables[][2] = {
        {"add", "1*p01"}, {"mul", "1*p1"}, {"load", "1*p23"}, {"div", "1*p0+4*pD"}, {NULL, NULL}};
    static const char *const inferred[][2] = {
        {"load", "1*pBC"}, {"mul", "1*pA"}, {"new", "1*pA+1*pX"}, {"idle", "1*pB"}, {NULL, NULL}};
    struct mapping *base = mapping("0123D", tables), *over = mapping("ABCXY", inferred);
    struct overlay o;
    struct err err = {0};
    struct str text = {0};
    struct mapping_entry mul = *mapping_at(base, 1);

    mul.latency = 7;
    struct mapping *timed = mapping_copy(base);
    mapping_set(timed, &mul);
    mapping_set_issue_width(over, 4);
    assert_true(overlay_make(timed, over, &o, &err));
    assert_int_equal(o.replaced, 2);
    assert_int_equal(o.added, 2);
    assert_int_equal(o.matched, 3);
    assert_true(mapping_issue_width(o.mapping) == 4);
    assert_int_equal(mapping_count(o.mapping), 6);
    /* X has no counterpart and is added. Y is not used, and not added. */
    assert_int_equal(mapping_ports(o.mapping)->count, 6);
    assert_int_equal(mapping_ports(o.mapping)->pipes, mapping_ports(base)->pipes);
    static const char *const expected[][2] = {{"load", "1*p23"},
                                              {"mul", "1*p1"},
                                              {"new", "1*p1+1*p[new1]"},
                                              {"add", "1*p01"},
                                              {"div", "1*p0+4*pD"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        str_clear(&text);
        usage_print(&mapping_find(o.mapping, expected[i][0])->usage, mapping_ports(o.mapping),
                    &text);
        assert_string_equal(str_text(&text), expected[i][1]);
    }
    assert_string_equal(mapping_at(o.mapping, 0)->form, "load");
    assert_true(mapping_find(o.mapping, "mul")->latency == 7 &&
                isnan(mapping_find(o.mapping, "new")->latency));
    mapping_free(o.mapping);
    /* A mapping without common forms is rejected. */
    static const char *const others[][2] = {{"none of these", "1*pA"}, {NULL, NULL}};
    struct mapping *strange = mapping("A", others);
    assert_false(overlay_make(base, strange, &o, &err));
    assert_null(o.mapping);
    str_done(&text);
    mapping_free(strange);
    mapping_free(timed);
    mapping_free(base);
    mapping_free(over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_assignment),
        cmocka_unit_test(test_renaming), cmocka_unit_test(test_lone_ports),
        cmocka_unit_test(test_overlay), cmocka_unit_test(test_best_matching),
    };
    return cmocka_run_group_tests_name("mapping_diff", tests, NULL, NULL);
}
