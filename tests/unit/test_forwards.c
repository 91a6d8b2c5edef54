/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores that forward to loads, as observed in runs, in repeated sequences of instructions, and as
 * links of the analysis. */
#include "program/forwards.h"
#include "../support/support.h"

/* Returns the link of a sequence of one unit, in which load @load reads store @store of age @age.
 * Stores the index of the link in *@found. */
static struct forward link_of(const uint32_t *insns, size_t count, uint32_t load, uint32_t store,
                              uint32_t age, size_t *found)
{
    struct insn_forward unit[8];
    struct insn_forward *units[] = {unit};
    struct code_forwards f = {.units = units};
    struct walked sequence[16];
    struct forward first = {0};

    for (size_t i = 0; i < 8; i++)
        unit[i] = (struct insn_forward){FORWARD_NONE, 0};
    unit[load] = (struct insn_forward){store, age};
    for (size_t i = 0; i < count; i++)
        sequence[i] = (struct walked){0, insns[i], false};
    struct known_forwards known = code_forwards_link(&f, sequence, count);
    *found = known.count;
    if (known.count)
        first = known.items[0];
    vec_done(&f.links);
    return first;
}

static void test_distances(void **state)
{
    const uint32_t once[] = {0, 1, 2, 3}, twice[] = {0, 1, 2, 0, 1, 2};
    size_t found;

    /* The store follows the load, so the newest store is that of the previous iteration. */
    struct forward l = link_of(once, 4, 1, 3, 0, &found);
    assert_int_equal(found, 1);
    assert_int_equal(l.load, 1);
    assert_int_equal(l.store, 3);
    assert_int_equal(l.distance, 1);
    assert_true(l.fits && l.confirmed);
    assert_int_equal(link_of(once, 4, 1, 3, 2, &found).distance, 3);
    /* The store precedes the load, so it is that of this iteration. */
    assert_int_equal(link_of(once, 4, 3, 1, 0, &found).distance, 0);
    /* A read-modify-write instruction reads its store of the previous iteration. */
    assert_int_equal(link_of(once, 4, 2, 2, 0, &found).distance, 1);
    /* The sequence has two iterations. The second load reads the store of the first iteration, and
     * the first load that of the previous sequence. */
    l = link_of(twice, 6, 1, 2, 0, &found);
    assert_int_equal(found, 2);
    assert_int_equal(l.store, 5);
    assert_int_equal(l.distance, 1);
}

static void test_no_link(void **state)
{
    const uint32_t insns[] = {0, 1, 2};
    size_t found;

    link_of(insns, 3, 1, 7, 0, &found);   /* This store is outside of the sequence. */
    assert_int_equal(found, 0);
    link_of(insns, 3, 1, 2, 60, &found);  /* The store has left the store buffer. */
    assert_int_equal(found, 0);
    link_of(insns, 3, 5, 2, 0, &found);   /* This load is outside of the sequence. */
    assert_int_equal(found, 0);
}

/* Links visible in the code remain. All links are sorted by load. */
static void test_known_links(void **state)
{
    struct forward own[] = {{.store = 1, .load = 3, .distance = 1}},
                   seen[] = {{.store = 0, .load = 2},
                             {.store = 2, .load = 3, .distance = 4},
                             {.store = 4, .load = 5}};
    struct address_work work = {0};

    addresses_add_known(&work, &(struct known_forwards){own, 1});
    addresses_add_known(&work, &(struct known_forwards){seen, 3});
    assert_int_equal(work.found_count, 3);
    assert_int_equal(work.found[0].load, 2);
    assert_int_equal(work.found[1].load, 3);
    assert_int_equal(work.found[1].distance, 1);
    assert_int_equal(work.found[2].load, 5);
    assert_int_equal(addresses_found(&work, 3), 1);
    address_work_done(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_no_link),
        cmocka_unit_test(test_known_links),
    };
    return cmocka_run_group_tests_name("forwards", tests, NULL, NULL);
}
