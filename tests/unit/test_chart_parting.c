/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports that merge two resources under one name, on a small CPU made by hand. Stores use one of
 * three address ports and one of two data ports. The core has the ports that an exact search would
 * find. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "chart/parting.h"
#include "chart/saturate.h"
#include "throughput/predict.h"
#include "../support/charts.h"
#include "../support/support.h"

#define PORTS 9              /* 0123 compute, 456 are for addresses, 78 for store data. */
#define WIDTH 6
#define CORE_ROWS 400
#define ROWS_EACH 24

/* A form's true usage, and its usage in the core, which is "" if the core lacks the form. */
struct by_hand {
    const char *form, *truth, *core;
};
static const struct by_hand cpu[] = {
    {"ADD (R64, R64)", "1*p0123", "1*p0123"},
    {"SHL (R64, I8)", "1*p12", "1*p12"},
    {"MOV (R64, M64)", "1*p456", "1*p456"},
    {"VMOVSS (XMM, M32)", "1*p46", "1*p46"},
    {"MOV (M64, R64)", "1*p456+1*p78", "1*p45"},
    {"VMOVSS (M32, XMM)", "1*p456+1*p8", "1*p5"},
    {"SETNZ (M8)", "1*p0+1*p456+1*p78", "1*p0+1*p45"},
    {"VMOVUPD (M256, YMM)", "1*p456+1*p8+1*p78", ""},
    {"VMOVDQA (M256, YMM)", "1*p456+1*p8+1*p78", ""},
    {"VMOVAPS (M256, YMM)", "1*p456+1*p8+1*p78", ""},
    {"VEXTRACTF32X8 (M256, ZMM, I8)", "1*p0123+1*p456+1*p8+1*p78", ""},
    {"ADD (M64, R64)", "1*p0123+1*p456+1*p78", ""},
};
#define FORMS (sizeof cpu / sizeof *cpu)
#define OUTSIDE 7            /* index of the first form outside of the core */

static struct mapping *mapping_by_hand(bool core)
{
    struct ports ports;
    struct err err = {0};

    ports_number(&ports, core ? 7 : PORTS);
    struct mapping *m = mapping_new(&ports);
    mapping_set_issue_width(m, WIDTH);
    for (size_t i = 0; i < FORMS; i++) {
        struct mapping_entry entry = {
            .form = (char *)cpu[i].form, .latency = NAN, .micro_ops = 1, .source = (char *)""};
        if (core && !*cpu[i].core)
            continue;
        assert_true(usage_parse(core ? cpu[i].core : cpu[i].truth, &ports, &entry.usage, &err));
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

struct scene {
    struct lab lab;
    struct chart_watch watch;
    struct chart_hooks hooks;
    bool *keep;
};

static void row_add(struct experiments *t, struct rng *rng, size_t outside, unsigned others)
{
    struct flat_term terms[4];
    unsigned n = 0;

    if (outside < FORMS)
        terms[n++] = (struct flat_term){(uint32_t)outside, 1 + (uint32_t)rng_below(rng, 2)};
    for (unsigned k = 0; k < others; k++) {
        uint32_t form = (uint32_t)rng_below(rng, OUTSIDE);
        bool there = false;
        for (unsigned i = 0; i < n; i++)
            there |= terms[i].form == form;
        if (!there)
            terms[n++] = (struct flat_term){form, 1 + (uint32_t)rng_below(rng, 4)};
    }
    if (n)
        experiments_add(t, terms, n);
}

/* Adds rows of the core alone, and with each other form up to number @last. Times are those of @m
 * with a relative error of at most @noise. */
static void scene_make(struct scene *s, const struct mapping *m, size_t last, double noise,
                       bool threads)
{
    struct experiments *t = experiments_new();
    struct rng rng;

    rng_seed(&rng, 11);
    *s = (struct scene){.watch = {.cancel = false}};
    for (size_t i = 0; i < FORMS; i++)
        names_add(&t->forms, cpu[i].form);
    for (unsigned r = 0; r < CORE_ROWS; r++)
        row_add(t, &rng, FORMS, 3);
    for (size_t f = OUTSIDE; f < last; f++)
        for (unsigned r = 0; r < ROWS_EACH; r++)
            row_add(t, &rng, f, r % 3);
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles);
    s->keep = mem_zero(t->rows.count + 1, sizeof *s->keep);
    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++) {
        experiments_set(t, i, cycles[i] * (1 + noise * rng_unit(&rng)), 0, 3, EXPERIMENT_OK);
        s->keep[i] = true;
        for (uint32_t k = 0; k < t->rows.items[i].count; k++)
            s->keep[i] &= experiments_terms(t, i)[k].form < OUTSIDE;
    }
    free(cycles);
    s->hooks = chart_watched(&s->watch);
    if (!threads)
        s->hooks.team = NULL;
    s->lab = (struct lab){.table = t, .noise = SIGHT_NOISE, .stage = CHART_PORTS};
}

static struct mapping *scene_part(struct scene *s, const struct mapping *core)
{
    s->lab.hooks = &s->hooks;
    return parting_find(&s->lab, s->keep, core, WIDTH);
}

static void scene_done(struct scene *s)
{
    experiments_free(s->lab.table);
    free(s->keep);
}

/* Returns the largest relative error of @m in @s's core rows. */
static double core_off(const struct scene *s, const struct mapping *m)
{
    const struct experiments *t = s->lab.table;
    double *cycles = mem_alloc((t->rows.count + 1) * sizeof *cycles), off = 0;

    throughput_predict(m, t, cycles);
    for (size_t i = 0; i < t->rows.count; i++)
        if (s->keep[i])
            off = fmax(off, fabs(cycles[i] / t->rows.items[i].cycles - 1));
    free(cycles);
    return off;
}

/* Stores have separate data ports and an address port each, like in the truth. All other usages are
 * unchanged, and the result needs no further split. */
static void test_parts_stores(void **state)
{
    struct mapping *truth = mapping_by_hand(false), *core = mapping_by_hand(true);
    struct scene s;
    for (unsigned threads = 0; threads < 2; threads++) {
        scene_make(&s, truth, FORMS, 0, threads);
        struct mapping *m = scene_part(&s, core);
        assert_non_null(m);
        assert_int_equal(mapping_ports(m)->count, 9);
        assert_int_equal(mapping_count(m), mapping_count(core));
        for (size_t i = 0; i < OUTSIDE; i++) {
            assert_string_equal(mapping_at(m, i)->form, cpu[i].form);
            assert_true(
                usage_equal(&mapping_at(m, i)->usage, &mapping_find(truth, cpu[i].form)->usage));
            assert_int_equal(mapping_at(m, i)->micro_ops, 1);
        }
        assert_true(core_off(&s, m) < 1e-9);
        struct mapping *again = scene_part(&s, m);
        assert_null(again);
        mapping_free(m);
        scene_done(&s);
    }
    mapping_free(truth);
    mapping_free(core);
}

/* Finds the split despite noise and times above the port bound. */
static void test_parts_in_noise(void **state)
{
    struct mapping *truth = mapping_by_hand(false), *core = mapping_by_hand(true);
    struct scene s;
    scene_make(&s, truth, FORMS, 0.04, true);
    struct mapping *m = scene_part(&s, core);
    assert_non_null(m);
    assert_true(usage_equal(&mapping_find(m, "MOV (M64, R64)")->usage,
                            &mapping_find(truth, "MOV (M64, R64)")->usage));
    mapping_free(m);
    scene_done(&s);
    mapping_free(truth);
    mapping_free(core);
}

/* Three forms are too few for a split. A core with correct ports is not split, despite noise. */
static void test_leaves_what_is_right(void **state)
{
    struct mapping *truth = mapping_by_hand(false), *core = mapping_by_hand(true),
                   *plain = mapping_copy(core);
    struct err err = {0};
    struct scene s;
    scene_make(&s, truth, OUTSIDE + 3, 0, true);
    assert_null(scene_part(&s, core));
    scene_done(&s);
    for (size_t i = OUTSIDE; i < FORMS; i++) {
        struct mapping_entry entry = {
            .form = (char *)cpu[i].form, .latency = NAN, .micro_ops = 1, .source = (char *)""};
        assert_true(usage_parse(i % 2 ? "1*p5" : "1*p0123+1*p45+1*p45", mapping_ports(plain),
                                &entry.usage, &err));
        mapping_set(plain, &entry);
        usage_done(&entry.usage);
    }
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        scene_make(&s, plain, FORMS, noisy ? 0.1 : 0, true);
        assert_null(scene_part(&s, core));
        scene_done(&s);
    }
    mapping_free(plain);
    mapping_free(truth);
    mapping_free(core);
}

/* A cancelled chart splits nothing. */
static void test_ends(void **state)
{
    struct mapping *truth = mapping_by_hand(false), *core = mapping_by_hand(true);
    struct scene s;
    scene_make(&s, truth, FORMS, 0, false);
    s.watch.cancel = true;
    assert_null(scene_part(&s, core));
    scene_done(&s);
    mapping_free(truth);
    mapping_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_stores), cmocka_unit_test(test_parts_in_noise),
        cmocka_unit_test(test_leaves_what_is_right), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests_name("chart parting", tests, NULL, NULL);
}
