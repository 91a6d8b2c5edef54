/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines of a block's graph, computed by hand. */
#include <string.h>

#include "program/graphlet.h"
#include "../support/support.h"

static const struct pipe_kind kinds[OP_CLASSES] = {
    [OP_IADD] = {2, 1, 1},    [OP_IMUL] = {1, 3, 1},   [OP_IDIV] = {1, 20, 10},
    [OP_LOGIC] = {2, 1, 1},   [OP_FADD] = {1, 4, 1},   [OP_FMUL] = {1, 4, 2},
    [OP_FDIV] = {1, 14, 4},   [OP_LOAD] = {2, 5, 1},   [OP_STORE] = {1, 1, 1},
    [OP_CONVERT] = {1, 5, 1}, [OP_BRANCH] = {1, 1, 1}, [OP_CALL] = {1, 50, 50}};

static double cycles(const struct graphlet_op *ops, size_t count)
{
    return graphlet_cycles(ops, count, kinds, NULL);
}

static void test_by_hand(void **state)
{
    /* Two concurrent loads (0 to 5), product (5 to 9), sum (9 to 13), store (13 to 14). */
    static const struct graphlet_op chain[] = {{OP_LOAD, 0, {0}},
                                               {OP_LOAD, 0, {0}},
                                               {OP_FMUL, 2, {0, 1}},
                                               {OP_FADD, 1, {2}},
                                               {OP_STORE, 1, {3}}};
    /* Three products in one pipe that accepts one every 2 cycles: 0-4, 2-6, 4-8. */
    static const struct graphlet_op products[] = {
        {OP_FMUL, 0, {0}}, {OP_FMUL, 0, {0}}, {OP_FMUL, 0, {0}}};
    /* Five additions in two pipes start at 0 0 1 1 2, and end at 3. */
    static const struct graphlet_op sums[] = {{OP_IADD, 0, {0}},
                                              {OP_IADD, 0, {0}},
                                              {OP_IADD, 0, {0}},
                                              {OP_IADD, 0, {0}},
                                              {OP_IADD, 0, {0}}};
    /* The first product waits for the load, and the second one for the pipe until 7: 5-9, 7-11. */
    static const struct graphlet_op delayed[] = {
        {OP_LOAD, 0, {0}}, {OP_FMUL, 1, {0}}, {OP_FMUL, 1, {0}}};
    assert_true(cycles(chain, 5) == 14);
    assert_true(cycles(products, 3) == 8);
    assert_true(cycles(sums, 5) == 3);
    assert_true(cycles(delayed, 3) == 11);
    assert_true(cycles(NULL, 0) == 0);
}

static void test_busy(void **state)
{
    static const struct graphlet_op ops[] = {
        {OP_FMUL, 0, {0}}, {OP_FMUL, 0, {0}}, {OP_LOAD, 0, {0}}};
    double busy[OP_CLASSES];
    graphlet_cycles(ops, 3, kinds, busy);
    assert_true(busy[OP_FMUL] == 4 && busy[OP_LOAD] == 1 && busy[OP_IADD] == 0);
}

static void test_names(void **state)
{
    enum op_class class;
    for (unsigned i = 0; i < OP_CLASSES; i++) {
        const char *name = op_class_name((enum op_class)i);
        assert_true(op_class_find(name, strlen(name), &class) && class == i);
    }
    assert_false(op_class_find("fadds", 5, &class));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_busy),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
