/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Genetic programming finds known formulas exactly, also for extrapolation. Equal data have equal
 * formulas. */
#include <math.h>
#include <string.h>

#include "program/fit.h"
#include "../support/support.h"

static double area(const double *x) { return 4 * x[0] * x[1] * x[2] + 7; }
static double smaller(const double *x) { return 3 * fmin(x[0], x[1]) * x[2]; }
static double border(const double *x) { return (x[0] - 1) * (x[1] - 1) * 2; }

static size_t runs(double inputs[3 * 27])
{
    size_t n = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 3; c++, n++) {
                inputs[3 * n] = 4 + 5 * a;
                inputs[3 * n + 1] = 3 + 6 * b;
                inputs[3 * n + 2] = 2 + 3 * c;
            }
    return n;
}

static void test_known(void **state)
{
    static double (*const functions[])(const double *) = {area, smaller, border};
    double inputs[3 * 27], values[27], far[] = {120, 340, 56};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct formula f = {.error = NAN}, again = f;
        size_t n = runs(inputs);
        for (size_t r = 0; r < n; r++)
            values[r] = functions[i](inputs + 3 * r);
        const struct fit_data data = {inputs, 3, n, values};
        assert_true(symbolic_fit(&data, &f));
        if (!f.exact || formula_value(&f, far, 3) != functions[i](far))
            fail_msg("function %zu: %g instead of %g, error %g", i, formula_value(&f, far, 3),
                     functions[i](far), f.error);
        assert_true(symbolic_fit(&data, &again));
        assert_memory_equal(f.code, again.code, f.code_length);
    }
}

/* An expression is searched for and used only if regression fails. */
static void test_where_regression_fails(void **state)
{
    static const char *const names[] = {"A", "B", "C"};
    double inputs[3 * 27], values[27], far[] = {900, 50, 31};
    struct str text = {0};
    struct formula f;
    size_t n = runs(inputs);
    for (size_t r = 0; r < n; r++)
        values[r] = smaller(inputs + 3 * r);
    const struct fit_data data = {inputs, 3, n, values};
    fit_counts(&data, &f);
    assert_true(!f.code_length && symbolic_needed(&data, &f));
    assert_true(symbolic_fit(&data, &f));
    assert_true(f.exact && f.code_length > 0 && !symbolic_needed(&data, &f));
    assert_true(formula_value(&f, far, 3) == smaller(far));
    formula_print(&f, names, 3, &text);
    assert_non_null(strstr(str_text(&text), "min("));
    str_done(&text);
}

/* A formula that is no improvement is rejected. */
static void test_no_better(void **state)
{
    double inputs[3 * 27], values[27];
    struct formula f;
    size_t n = runs(inputs);
    for (size_t r = 0; r < n; r++)
        values[r] = area(inputs + 3 * r);
    fit_counts(&(struct fit_data){inputs, 3, n, values}, &f);
    assert_false(symbolic_fit(&(struct fit_data){inputs, 3, n, values}, &f));
    assert_true(f.exact && !f.code_length);
}

static void test_print(void **state)
{
    static const char *const names[] = {"N", "M"};
    const double inputs[] = {12, 3};
    /* The smallest expression for these data is N - M. */
    const struct formula f = {.coefficients = {40, -0.5},
                              .count = 2,
                              .code_length = 9,
                              .code = {0, 1, FORMULA_CONSTANT + 1, FORMULA_TIMES, FORMULA_OVER, 0,
                                       1, FORMULA_MINUS, FORMULA_LEAST}};
    struct str text = {0};
    formula_print(&f, names, 2, &text);
    assert_string_equal(str_text(&text), "40 - 0.5*min(N/(M*2), (N - M))");
    assert_true(formula_value(&f, inputs, 2) == 39);
    assert_int_equal(formula_degree(&f, 2), 1);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known), cmocka_unit_test(test_where_regression_fails),
        cmocka_unit_test(test_no_better), cmocka_unit_test(test_print)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
