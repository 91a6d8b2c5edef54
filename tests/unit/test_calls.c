/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of library functions, from readings during a program's run. */
#include <math.h>

#include "program/calls.h"
#include "../support/support.h"

#define CLOCK 2e9

/* Each function whose cost can be measured is listed once, however often the program calls it.
 * Unknown functions are not listed. */
static void test_requested(void **state)
{
    static const char *const names[] = {"exp", "printf", "log", "exp", "printf", "logf"};
    struct call_readings r = {.count = 0};
    struct call_costs costs;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        call_readings_want(&r, names[i]);
    assert_int_equal(r.count, 3);
    call_readings_judge(&r, CLOCK, &costs);   /* Without readings there is no result. */
    assert_int_equal(costs.count, 0);
    call_readings_add(&r);
    call_readings_add(&r);
    for (unsigned i = 0; i < r.count; i++)
        assert_int_equal(r.list[i].seconds.count, 2);
    call_readings_judge(&r, CLOCK, &costs);
    assert_int_equal(costs.count, 3);
    assert_string_equal(costs.list[0].name, "exp");
    assert_string_equal(costs.list[1].name, "log");
    assert_string_equal(costs.list[2].name, "logf");
}

/* A neighbour is busy during half of the readings. The cost is the mean over both states, without
 * the lowest and the highest tenth. */
static void test_mean_of_both_states(void **state)
{
    struct call_readings r = {.count = 0};
    struct call_costs costs;

    call_readings_want(&r, "sqrt");
    call_readings_want(&r, "exp");
    for (int i = 0; i < 20; i++)
        vec_push(&r.list[1].seconds, i < 2 ? 1 : i < 4 ? -1 : i % 2 ? 10e-9 : 16e-9);
    call_readings_judge(&r, CLOCK, &costs);
    assert_int_equal(costs.count, 1);   /* sqrt was not measured. */
    assert_string_equal(costs.list[0].name, "exp");
    assert_true(fabs(costs.list[0].cycles - 26) < 1e-6);
    /* Later queries return the stored result, without a new measurement. */
    assert_true(call_cost_of(&costs, "exp") == costs.list[0].cycles);
    assert_int_equal(costs.count, 1);
    assert_true(isnan(call_cost_of(&costs, "printf")));
    assert_int_equal(costs.count, 1);
    /* The next run starts with the same functions, and without readings. */
    assert_int_equal(r.count, 2);
    vec_push(&r.list[0].seconds, 3e-9);
    call_readings_judge(&r, CLOCK, &costs);
    assert_int_equal(costs.count, 1);
    assert_string_equal(costs.list[0].name, "sqrt");
    assert_true(fabs(costs.list[0].cycles - 6) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requested),
                                       cmocka_unit_test(test_mean_of_both_states)};
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
