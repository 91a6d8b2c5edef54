/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ambiguities of a mapping and of classes of forms, and the experiments that resolve them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/generate.h"
#include "../support/support.h"

#define FORMS 4
/* WIDE has one µop on any of four ports, HALF on two of them. TWO has two slots and unknown ports.
 * PAIRED has one slot. */
enum { WIDE, HALF, TWO, PAIRED };

static const char *const names[FORMS] = {"WIDE", "HALF", "TWO", "PAIRED"};

static void measure(struct experiments *t, uint32_t a, uint32_t count_a, uint32_t b,
                    uint32_t count_b, double cycles)
{
    struct flat_term terms[2] = {{a, count_a}, {b, count_b}};
    experiments_set(t, experiments_add(t, terms, count_b ? 2 : 1), cycles, NAN, 1, NULL);
}

static struct experiments *table_of_forms(void)
{
    struct experiments *t = experiments_new();
    for (uint32_t f = 0; f < FORMS; f++)
        names_add(&t->forms, names[f]);
    return t;
}

/* Returns a mapping of four ports and four slots per cycle. HALF has ports 0 and 1. Other forms
 * have none. */
static struct mapping *mapping_of_forms(void)
{
    static const unsigned slots[FORMS] = {1, 1, 2, 1};
    struct ports ports;

    ports_number(&ports, 4);
    struct mapping *m = mapping_new(&ports);
    mapping_set_issue_width(m, 4);
    for (uint32_t f = 0; f < FORMS; f++) {
        struct mapping_entry entry = {
            .form = (char *)names[f], .latency = NAN, .micro_ops = slots[f], .source = (char *)""};
        if (f == HALF)
            usage_add(&entry.usage, 3, 1);
        mapping_set(m, &entry);
        usage_done(&entry.usage);
    }
    return m;
}

/* A form as fast as the issue width has any of four ports or none, which no experiment of these
 * forms distinguishes. A form of two slots may have two ports; experiments that keep them busy
 * reveal this. */
static void test_width_hides(void **state)
{
    struct mapping *m = mapping_of_forms();
    struct experiments *t = table_of_forms();
    struct observable list[FORMS];

    measure(t, WIDE, 1, 0, 0, 0.25);
    measure(t, HALF, 1, 0, 0, 0.5);
    measure(t, WIDE, 1, HALF, 1, 0.5);   /* If WIDE took two slots, HALF would have none. */
    measure(t, TWO, 1, 0, 0, 0.5);
    observable_find(m, t, list);
    assert_int_equal(list[WIDE].rivals, 1);
    assert_int_equal(list[WIDE].settle.count, 0);
    assert_int_equal(list[HALF].rivals, 0);
    assert_int_equal(list[TWO].rivals, 2);
    assert_int_equal(list[TWO].settle.count, 2);
    assert_string_equal(list[TWO].settle.terms[1].form, "HALF");
    assert_int_equal(list[PAIRED].rivals, 0);   /* The form was not measured. */
    assert_non_null(strstr(observable_reason(m), "not observable: the issue width"));
    size_t before = t->rows.count;
    assert_int_equal(generate_hidden(t, list), 1);
    assert_int_equal(generate_hidden(t, list), 0);
    /* The experiment takes the same time as if TWO used no port. No experiment distinguishes the
     * remaining alternative. */
    const struct flat_term *terms = experiments_terms(t, before);
    double slots = 0, half = 0;
    for (unsigned i = 0; i < 2; i++) {
        slots += terms[i].count * (terms[i].form == TWO ? 2.0 : 1.0);
        half += terms[i].form == HALF ? terms[i].count : 0;
    }
    experiments_set(t, before, fmax(slots / 4, half / 2), NAN, 1, NULL);
    observable_done(list, FORMS);
    observable_find(m, t, list);
    assert_int_equal(list[TWO].rivals, 1);
    assert_int_equal(list[TWO].settle.count, 0);
    observable_done(list, FORMS);
    experiments_free(t);
    mapping_free(m);
}

/* The evolver's choice has no influence: a form with all four ports is as ambiguous as one
 * without. */
static void test_with_ports(void **state)
{
    struct mapping *m = mapping_of_forms();
    struct experiments *t = table_of_forms();
    struct observable list[FORMS];
    struct mapping_entry entry = *mapping_find(m, "WIDE");

    usage_add(&entry.usage, 15, 1);
    mapping_set(m, &entry);
    usage_done(&entry.usage);
    measure(t, WIDE, 1, 0, 0, 0.25);
    observable_find(m, t, list);
    assert_int_equal(list[WIDE].rivals, 1);
    observable_done(list, FORMS);
    /* A time that ports limit is longer than slots require. */
    entry = *mapping_find(m, "TWO");
    usage_add(&entry.usage, 1, 1);
    mapping_set(m, &entry);
    usage_done(&entry.usage);
    measure(t, TWO, 1, 0, 0, 1);
    observable_find(m, t, list);
    /* Four slots without a port explain TWO's time alone. */
    assert_int_equal(list[TWO].rivals, 1);
    observable_done(list, FORMS);
    measure(t, WIDE, 1, TWO, 1, 1);
    observable_find(m, t, list);
    assert_int_equal(list[TWO].rivals, 0);
    observable_done(list, FORMS);
    experiments_free(t);
    mapping_free(m);
}

/* Forms that are equal alone form a class with a count of its uncompared pairs. Pairs with the
 * first member compare the members, and distinguish all others. */
static void test_untested(void **state)
{
    struct experiments *t = table_of_forms();
    struct congruence c;

    for (uint32_t f = 0; f < FORMS; f++)
        measure(t, f, 1, 0, 0, 1);
    congruence_find(t, CONGRUENCE_EPSILON, 0, true, &c);
    assert_int_equal(c.classes, 1);
    assert_int_equal(c.untested[0], 6);
    assert_false(congruence_undistinguished(&c, 0));
    assert_true(congruence_undistinguished(&c, 1) && congruence_undistinguished(&c, 2) &&
                congruence_undistinguished(&c, 3));
    assert_int_equal(generate_indistinct(t, &c), 3);
    congruence_done(&c);
    static const double cycles[] = {2, 2, 1};   /* The last form shares no port with the first. */
    for (size_t i = 0; i < 3; i++)
        experiments_set(t, FORMS + i, cycles[i], NAN, 1, NULL);
    congruence_find(t, CONGRUENCE_EPSILON, 0, true, &c);
    assert_int_equal(c.classes, 2);
    assert_int_equal(c.size[0], 3);
    assert_int_equal(c.untested[0], 0);
    assert_int_not_equal(c.class_of[3], c.class_of[0]);
    assert_int_equal(generate_indistinct(t, &c), 0);
    congruence_done(&c);
    /* For the evolver a pair compares neither of its forms with the other. With the first form it
     * compares the other two. */
    congruence_find(t, CONGRUENCE_EPSILON, 0, false, &c);
    assert_int_equal(c.classes, 2);
    assert_int_equal(c.untested[0], 2);
    congruence_done(&c);
    experiments_free(t);
}

/* The time of copies of a form is proportional to their number. Its time alone therefore determines
 * its time with itself, and no further experiment is needed. */
static void test_several_alone(void **state)
{
    struct experiments *t = table_of_forms();
    struct congruence c;

    measure(t, 0, 2, 0, 0, 2);
    measure(t, 1, 3, 0, 0, 3);
    measure(t, 0, 1, 1, 1, 2);
    congruence_find(t, CONGRUENCE_EPSILON, 0, true, &c);
    assert_int_equal(c.classes, 1);
    assert_int_equal(c.untested[0], 0);
    assert_int_equal(generate_indistinct(t, &c), 0);
    congruence_done(&c);
    experiments_set(t, 2, 1, NAN, 1, NULL);   /* The two forms use disjoint ports. */
    congruence_find(t, CONGRUENCE_EPSILON, 0, true, &c);
    assert_int_equal(c.classes, 2);
    congruence_done(&c);
    experiments_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width_hides), cmocka_unit_test(test_with_ports),
        cmocka_unit_test(test_untested), cmocka_unit_test(test_several_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
