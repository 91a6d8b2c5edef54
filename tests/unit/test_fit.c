/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas of inputs. Known formulas are found and extrapolate well. Compares least squares with
 * normal equations, and leave-one-out errors with explicit omission. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/mem.h"
#include "base/watch.h"
#include "program/fit.h"
#include "program/solve.h"
#include "../support/support.h"

static double cube(double n) { return 2 * n * n * n; }
static double stencil(double n) { return 20 * (n - 2) * (n - 2); }
static double triangle(double n) { return n * (n - 1) / 2; }
static double vector_body(double n) { return n * n * floor(n / 4); }
static double vector_rest(double n) { return n * n * (n - 4 * floor(n / 4)); }
static double vector_rest_entered(double n) { return n * (fmod(n, 8) > 0); }
static double interior_body(double n) { return floor((n - 2) / 16); }
static double interior_rest(double n) { return 20 * (n - 2) * fmod(n - 2, 4); }
static double constant(double n) { return 7 + 0 * n; }
static double nothing(double n) { return 0 * n; }

static void test_counts_of_one_input(void **state)
{
    static double (*const functions[])(double) = {
        cube,          stencil,       triangle, vector_body, vector_rest, vector_rest_entered,
        interior_body, interior_rest, constant, nothing};
    static const double inputs[] = {17, 32, 44, 61, 64, 90, 128};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        double values[7];
        struct formula f;
        for (size_t k = 0; k < 7; k++)
            values[k] = functions[i](inputs[k]);
        fit_counts(&(struct fit_data){inputs, 1, 7, values}, &f);
        if (!f.exact)
            fail_msg("function %zu is not exact", i);
        for (double n = 129; n < 5000; n += 37)
            if (formula_value(&f, &n, 1) != functions[i](n))
                fail_msg("function %zu at %g: %.17g instead of %.17g", i, n,
                         formula_value(&f, &n, 1), functions[i](n));
    }
}

/* Four sizes, all multiples of the vector's width, determine the smallest formula, and not one that
 * happens to fit. */
static void test_few_runs(void **state)
{
    static const double inputs[] = {16, 32, 64, 128};
    double values[4], n = 512;
    struct formula f;
    for (size_t k = 0; k < 4; k++)
        values[k] = stencil(inputs[k]);
    fit_counts(&(struct fit_data){inputs, 1, 4, values}, &f);
    assert_true(f.exact && formula_value(&f, &n, 1) == stencil(512));
    fit_counts(&(struct fit_data){inputs, 1, 1, values}, &f);
    assert_false(f.exact);
    assert_true(isnan(f.error));
}

static double product(const double *x) { return 3 * x[0] * x[1] + 2 * x[1] + 5; }
static double product_floor(const double *x) { return x[1] * floor(x[0] / 8); }

static void test_factorial_runs(void **state)
{
    static double (*const functions[])(const double *) = {product, product_floor};
    double inputs[2 * 16 * 3], values[48];
    struct formula f;
    size_t n = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int c = 0; c < 2; c++, n++) {
                inputs[3 * n] = 10 + 13 * a;
                inputs[3 * n + 1] = 3 + 2 * b;
                inputs[3 * n + 2] = c;       /* The last input has no influence. */
            }
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < n; k++)
            values[k] = functions[i](&inputs[3 * k]);
        fit_counts(&(struct fit_data){inputs, 3, n, values}, &f);
        double far[] = {1000, 77, 1};
        assert_true(f.exact);
        assert_true(formula_value(&f, far, 3) == functions[i](far));
    }
}

static double sweeps(const double *x)
{
    return 8 * x[0] * x[1] * x[2] * x[3] * (x[4] * x[5] + 1) * floor(x[6] / 4);
}
static double chunks(const double *x) { return 24 * x[0] / x[7] * x[1] * (x[3] + 2) * x[5]; }
static double moments(const double *x)
{
    return x[5] * (x[8] * x[8] - 1) * x[0] * x[2] * fmod(x[6], 4) + 17 * x[5];
}
static double rims(const double *x) { return (x[0] + 1) * (x[1] + 1) * (x[2] + 1) * x[4]; }
/* zero at the first values of the inputs */
static double hidden(const double *x) { return x[5] * x[3] * (x[8] - 2); }

/* Fits runs with nine inputs: each input is varied alone, and 40 runs vary all. Formulas have
 * degrees up to seven, quotients of inputs, and factors of two terms. */
static void test_many_inputs(void **state)
{
    static double (*const functions[])(const double *) = {sweeps, chunks, moments, rims, hidden};
    static const double values_of[9][5] = {{4, 8, 12},        {3, 4, 5, 7}, {3, 4, 5, 7},
                                           {3, 2, 4, 5},      {2, 1, 3},    {2, 1, 3},
                                           {6, 7, 9, 12, 13}, {2, 1, 4},    {2, 3, 4}};
    static const size_t count_of[9] = {3, 4, 4, 4, 3, 3, 5, 3, 3};
    static const double far[] = {64, 31, 28, 21, 13, 17, 103, 16, 11};
    double inputs[9 * 80], counts[80];
    struct formula f;
    struct rng rng;
    size_t n = 1;
    rng_seed(&rng, 5);
    for (size_t i = 0; i < 9; i++)
        inputs[i] = values_of[i][0];
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 1; k < count_of[i]; k++, n++) {
            memcpy(inputs + 9 * n, inputs, 9 * sizeof *inputs);
            inputs[9 * n + i] = values_of[i][k];
        }
    for (size_t k = 0; k < 40; k++, n++)
        for (size_t i = 0; i < 9; i++)
            inputs[9 * n + i] = values_of[i][rng_below(&rng, count_of[i])];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (size_t r = 0; r < n; r++)
            counts[r] = functions[k](inputs + 9 * r);
        fit_counts(&(struct fit_data){inputs, 9, n, counts}, &f);
        if (!f.exact || formula_value(&f, far, 9) != functions[k](far))
            fail_msg("function %zu: %.17g instead of %.17g", k, formula_value(&f, far, 9),
                     functions[k](far));
    }
}

/* Many inputs with a random count: finds the correct products, and extrapolates well. */
static void test_many_inputs_by_chance(void **state)
{
    double inputs[5 * 60], counts[60];
    const double far[] = {60, 50, 40, 30, 20};
    struct formula f;
    struct rng rng;
    rng_seed(&rng, 6);
    for (size_t r = 0; r < 60; r++) {
        double *x = inputs + 5 * r;
        for (size_t i = 0; i < 5; i++)
            x[i] = 2 + (double)(r <= 15 ? (r % 3) * (r / 3 == i) : rng_below(&rng, 5));
        counts[r] = floor(x[0] * x[1] * x[2] * x[3] * x[4] * (40 + 0.2 * rng_unit(&rng)));
    }
    fit_counts(&(struct fit_data){inputs, 5, 60, counts}, &f);
    assert_false(f.exact);
    assert_true(f.error < 0.02);
    assert_true(fabs(formula_value(&f, far, 5) / (40.1 * 60 * 50 * 40 * 30 * 20) - 1) < 0.1);
}

/* Only remainders 0 and 1 occur. Half of N / 2 would fit equally, but N / 4 is the more natural
 * formula. */
static void test_some_remainders(void **state)
{
    static const double inputs[] = {17, 24, 32, 44, 61, 64};
    double values[6], n = 1027;
    struct formula f;
    for (size_t k = 0; k < 6; k++)
        values[k] = vector_body(inputs[k]);
    fit_counts(&(struct fit_data){inputs, 1, 6, values}, &f);
    assert_true(f.exact && formula_value(&f, &n, 1) == vector_body(n));
}

/* The input is the logarithm of a size: counts of a fast Fourier transform and of a recursion. A
 * polynomial would explain such counts well, and be far too low beyond the runs. */
static void test_powers_of_two(void **state)
{
    static const double inputs[] = {8, 9, 10, 11, 12, 13}, far = 20;
    static const char *const names[] = {"N"};
    double butterflies[6], moves[6], noisy[6];
    struct formula f;
    struct str text = {0};
    for (size_t k = 0; k < 6; k++) {
        butterflies[k] = inputs[k] * exp2(inputs[k] - 1);
        moves[k] = exp2(inputs[k]) - 1;
        noisy[k] = rint(inputs[k] * exp2(inputs[k]) * (0.3 + 0.01 * (double)(k % 3)));
    }
    fit_counts(&(struct fit_data){inputs, 1, 6, butterflies}, &f);
    assert_true(f.exact && formula_value(&f, &far, 1) == 20 * 524288.0);
    formula_print(&f, names, 1, &text);
    assert_string_equal(str_text(&text), "0.5*N*2^N");
    fit_counts(&(struct fit_data){inputs, 1, 6, moves}, &f);
    assert_true(f.exact && formula_value(&f, &far, 1) == 1048575);
    fit_counts(&(struct fit_data){inputs, 1, 6, noisy}, &f);
    assert_false(f.exact);
    assert_true(fabs(formula_value(&f, &far, 1) / (0.31 * 20 * 1048576) - 1) < 0.1);
    str_done(&text);
}

/* Data-dependent counts have a short, close formula whose extrapolation remains bounded. */
static void test_data_dependent(void **state)
{
    static const double inputs[] = {16, 32, 48, 64, 96, 128};
    double values[6], far = 1024;
    struct formula f;
    struct rng rng;
    rng_seed(&rng, 4);
    for (size_t k = 0; k < 6; k++)
        values[k] = floor(inputs[k] * inputs[k] * (0.3 + 0.02 * rng_unit(&rng)));
    fit_counts(&(struct fit_data){inputs, 1, 6, values}, &f);
    assert_false(f.exact);
    assert_true(f.error < 0.06);
    assert_true(fabs(formula_value(&f, &far, 1) / (0.31 * far * far) - 1) < 0.15);
}

static double entered(double n) { return n >= 4; }
static double beyond(double n) { return n > 2 ? n - 2 : 0; }

/* Runs have only the quotients 0 and 1. A threshold fits equally, so the formula is valid only in
 * this range. Larger values select one of the two. */
static void test_thresholds(void **state)
{
    static double (*const functions[])(double) = {entered, beyond};
    static const double few[] = {2, 3, 4, 5, 7}, more[] = {2, 3, 4, 5, 7, 11, 16};
    for (size_t i = 0; i < 2; i++) {
        double values[7];
        struct formula f;
        for (size_t k = 0; k < 7; k++)
            values[k] = functions[i](more[k]);
        fit_counts(&(struct fit_data){more, 1, 7, values}, &f);
        assert_true(f.exact && !f.within);
        for (double n = 1; n < 500; n++)
            assert_true(formula_value(&f, &n, 1) == functions[i](n));
        if (i)
            continue;
        fit_counts(&(struct fit_data){few, 1, 5, values}, &f);
        assert_true(f.exact && f.within == 1);
    }
}

static double quarter(double n) { return floor(n / 4) * 6; }

/* All inputs are multiples of the vector's width, for which 1.5 N is exact. Where 1.5 N is not an
 * integer, it is not a count. */
static void test_multiples(void **state)
{
    static const double inputs[] = {8, 16, 32, 64, 128}, wide[] = {2, 3, 5, 8, 11};
    double values[5];
    struct formula f;
    for (size_t k = 0; k < 5; k++)
        values[k] = quarter(inputs[k]);
    fit_counts(&(struct fit_data){inputs, 1, 5, values}, &f);
    assert_true(f.exact && f.within == 1);
    for (size_t k = 0; k < 5; k++)
        values[k] = triangle(wide[k]);
    fit_counts(&(struct fit_data){wide, 1, 5, values}, &f);
    assert_true(f.exact && !f.within);
}

/* Runs with repeated values of the relevant input add no information. Three values do not determine
 * a formula of three terms. */
static void test_repeated_runs(void **state)
{
    double inputs[2 * 12], values[12];
    struct formula f;
    for (size_t r = 0; r < 12; r++) {
        inputs[2 * r] = 2 + (double)(r % 4);
        inputs[2 * r + 1] = (double)(r / 4);
        /* -14 + 15.5 N - 5 N^2 + 0.5 N^3 has similar values. */
        values[r] = (const double[]){0, 1, 2, 2}[r % 4];
    }
    fit_counts(&(struct fit_data){inputs, 2, 12, values}, &f);
    assert_false(f.exact && !f.within);
}

/* Fits two inputs. The second one contributes the product of @of at its values. */
static void fit_products(double (*of)(double), const double *values, size_t count,
                         struct formula *f)
{
    double inputs[2 * 32], counts[32];
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        for (int a = 0; a < 4; a++, n++) {
            inputs[2 * n] = 3 + 2 * a;
            inputs[2 * n + 1] = values[k];
            counts[n] =
                (inputs[2 * n] * inputs[2 * n] * inputs[2 * n] * inputs[2 * n] * inputs[2 * n] +
                 1) *
                of(values[k]);
        }
    fit_counts(&(struct fit_data){inputs, 2, n, counts}, f);
}

/* sum of (2l - 1) % 4 from l = 2 */
static double moments_left(double n) { return n < 2 ? 0 : n < 3 ? 3 : n < 4 ? 4 : n < 5 ? 7 : 8; }
static double chunks_less(double n) { return 60 - 60 / n; }

/* 6 - 6 / N has the first three values of sums of remainders. A reciprocal with other terms needs
 * five values. */
static void test_reciprocals(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 10}, far[] = {3, 30};
    struct formula f;
    fit_products(moments_left, values, 3, &f);
    assert_false(f.exact && !f.within);
    fit_products(moments_left, values, 4, &f);
    assert_true(!f.exact || f.within & 2);
    for (size_t k = 0; k < 4; k++)
        assert_true(!f.exact || formula_value(&f, (const double[]){5, values[k]}, 2) ==
                                    3126 * moments_left(values[k]));
    fit_products(chunks_less, values, 7, &f);
    /* Four values of the first input do not determine its fifth power. The formula is exact only at
     * these values. */
    assert_true(f.exact && f.within == 1 && formula_value(&f, far, 2) == 244 * chunks_less(30));
}

static void test_print(void **state)
{
    static const double inputs[] = {17, 32, 44, 61, 64, 90, 128};
    static const char *const names[] = {"N"};
    static const struct { double (*function)(double); const char *text;
    } cases[] = {{cube, "2*N^3"},
                 {vector_body, "N^2*floor(N/4)"},
                 {interior_body, "floor((N-2)/16)"},
                 {vector_rest_entered, "N*[N%8>0]"},
                 {vector_rest, "N^2*(N%4)"},
                 {interior_rest, "-40*((N-2)%4) + 20*N*((N-2)%4)"},
                 {constant, "7"},
                 {nothing, "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = {0};
        struct formula f;
        double values[7];
        for (size_t k = 0; k < 7; k++)
            values[k] = cases[i].function(inputs[k]);
        fit_counts(&(struct fit_data){inputs, 1, 7, values}, &f);
        formula_print(&f, names, 1, &text);
        assert_string_equal(str_text(&text), cases[i].text);
        str_done(&text);
    }
}

/* Fits two columns by Cramer's rule on the normal equations, without row @without. Leave-one-out
 * errors use this fit without each row. */
static void normal(const double *a, const double *b, const double *y, size_t n, size_t without,
                   double c[2])
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (size_t i = 0; i < n; i++)
        if (i != without) {
            aa += a[i] * a[i], ab += a[i] * b[i], bb += b[i] * b[i];
            ay += a[i] * y[i], by += b[i] * y[i];
        }
    c[0] = (ay * bb - by * ab) / (aa * bb - ab * ab);
    c[1] = (by * aa - ay * ab) / (aa * bb - ab * ab);
}

static void test_least_squares(void **state)
{
    double a[9], b[9], y[9], c[2], left_out = 0;
    long double work[3 * 9];
    const double *columns[] = {a, b};
    struct solution s;
    struct rng rng;
    rng_seed(&rng, 8);
    for (size_t i = 0; i < 9; i++) {
        a[i] = rng_unit(&rng);
        b[i] = rng_unit(&rng) * 3;
        y[i] = a[i] - 2 * b[i] + 0.1 * rng_unit(&rng);
    }
    assert_true(solve(columns, 2, y, NULL, 9, work, &s));
    normal(a, b, y, 9, 9, c);
    assert_float_equal((double)s.coefficients[0], c[0], 1e-10);
    assert_float_equal((double)s.coefficients[1], c[1], 1e-10);
    for (size_t i = 0; i < 9; i++) {
        normal(a, b, y, 9, i, c);
        left_out += fabs(y[i] - c[0] * a[i] - c[1] * b[i]) / 9;
    }
    assert_float_equal(s.left_out, left_out, 1e-10);
    memcpy(b, a, sizeof b);
    assert_false(solve(columns, 2, y, NULL, 9, work, &s));
}

#define SUM_COLUMNS 8
#define SUM_ROWS 14

/* Returns the least sum of squares over all subsets of columns with non-negative coefficients, by
 * exhaustive search. */
static double least_of_all(const double *const *columns, const double *y, const double *weights)
{
    long double work[(SUM_COLUMNS + 1) * SUM_ROWS];
    double least = INFINITY;

    for (unsigned set = 0; set < 1u << SUM_COLUMNS; set++) {
        const double *some[SUM_COLUMNS];
        struct solution s;
        size_t n = 0;
        double sum = 0;
        bool allowed = true;
        for (unsigned k = 0; k < SUM_COLUMNS; k++)
            if (set >> k & 1)
                some[n++] = columns[k];
        if (!solve(some, n, y, weights, SUM_ROWS, work, &s))
            continue;
        for (size_t k = 0; k < n; k++)
            allowed &= s.coefficients[k] >= 0;
        for (size_t r = 0; r < SUM_ROWS; r++) {
            double left = y[r];
            for (size_t k = 0; k < n; k++)
                left -= (double)s.coefficients[k] * some[k][r];
            sum += pow(left * weights[r], 2);
        }
        if (allowed && sum < least)
            least = sum;
    }
    return least;
}

/* The result equals the best of all subsets. At the minimum no omitted column would lower the sum
 * (Kuhn and Tucker). Duplicate columns do no harm. */
static void test_nonnegative(void **state)
{
    double column[SUM_COLUMNS + 1][SUM_ROWS], y[SUM_ROWS], weights[SUM_ROWS];
    const double *columns[SUM_COLUMNS + 1];
    long double work[(SOLVE_COLUMNS + 1) * SUM_ROWS];
    struct rng rng;
    rng_seed(&rng, 21);
    for (int trial = 0; trial < 200; trial++) {
        size_t chosen[SOLVE_COLUMNS];
        struct solution s;
        double left[SUM_ROWS], sum = 0;
        for (size_t k = 0; k <= SUM_COLUMNS; k++) {
            columns[k] = column[k];
            for (size_t r = 0; r < SUM_ROWS; r++)
                column[k][r] =
                    k == SUM_COLUMNS ? column[0][r] : rng_unit(&rng) + (trial % 2 ? 0 : -0.5);
        }
        for (size_t r = 0; r < SUM_ROWS; r++) {
            weights[r] = 0.5 + rng_unit(&rng);
            y[r] =
                2 * column[1][r] - column[2][r] + 0.5 * column[5][r] + 0.3 * (rng_unit(&rng) - 0.5);
        }
        size_t n = nonnegative(columns, SUM_COLUMNS + trial % 3 / 2, y, weights, SUM_ROWS, work,
                               chosen, &s);
        for (size_t r = 0; r < SUM_ROWS; r++) {
            left[r] = y[r];
            for (size_t k = 0; k < n; k++)
                left[r] -= (double)s.coefficients[k] * column[chosen[k]][r];
            sum += pow(left[r] * weights[r], 2);
        }
        double least = least_of_all(columns, y, weights);
        assert_true(sum <= least * (1 + 1e-9) + 1e-12 && sum >= least * (1 - 1e-9) - 1e-12);
        for (size_t k = 0; k < SUM_COLUMNS; k++) {
            double pull = 0;
            for (size_t r = 0; r < SUM_ROWS; r++)
                pull += weights[r] * weights[r] * column[k][r] * left[r];
            assert_true(pull < 1e-5);
        }
        for (size_t k = 0; k < n; k++)
            assert_true(s.coefficients[k] >= 0);
    }
    size_t chosen[SOLVE_COLUMNS];
    struct solution s;
    for (size_t r = 0; r < SUM_ROWS; r++)
        y[r] = -1;
    for (size_t r = 0; r < SUM_ROWS; r++)
        column[0][r] = 1;
    assert_int_equal(nonnegative(columns, 1, y, NULL, SUM_ROWS, work, chosen, &s), 0);
}

/* Inputs and counts of any size cause no undefined behaviour (checked by sanitizers), and the
 * formula has at most FORMULA_TERMS terms. */
static void test_huge(void **state)
{
    static const double huge[] = {1e18, 1e25, 1e40, 1e300, 3e38};

    for (size_t k = 0; k < sizeof huge / sizeof *huge; k++) {
        double inputs[6], values[6];
        struct formula f;
        for (size_t r = 0; r < 6; r++) {
            inputs[r] = huge[k] * (double)(r + 1);
            values[r] = r % 2 ? huge[k] : 3 + (double)r;
        }
        fit_counts(&(struct fit_data){inputs, 1, 6, values}, &f);
        assert_true(f.count <= FORMULA_TERMS);
    }
}

static unsigned asked;

static bool over_soon(void *state)
{
    return ++asked > 3;
}

/* The fit of many runs with many inputs ends soon after it is cancelled, counted in steps. */
static void test_many_runs(void **state)
{
    enum { RUNS = 3000, INPUTS = 4 };
    double *inputs = mem_alloc(RUNS * INPUTS * sizeof *inputs),
           *values = mem_alloc(RUNS * sizeof *values);
    struct formula f;

    for (size_t r = 0; r < RUNS; r++) {
        for (size_t i = 0; i < INPUTS; i++)
            inputs[r * INPUTS + i] = (double)(r * (i + 3) * 7919 % 97 + 1);
        values[r] = (double)(r * 31 % 1009);
    }
    struct watch before = watch_begin(over_soon, NULL);
    uint64_t steps = steps_taken;
    fit_counts(&(struct fit_data){inputs, INPUTS, RUNS, values}, &f);
    assert_true(watch.ended);
    watch_restore(before);
    assert_true(steps_taken - steps < 30 * WATCH_STEPS);
    free(inputs);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_one_input), cmocka_unit_test(test_few_runs),
        cmocka_unit_test(test_some_remainders),     cmocka_unit_test(test_factorial_runs),
        cmocka_unit_test(test_many_inputs),         cmocka_unit_test(test_many_inputs_by_chance),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_data_dependent),      cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_multiples),           cmocka_unit_test(test_repeated_runs),
        cmocka_unit_test(test_reciprocals),         cmocka_unit_test(test_print),
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_nonnegative),         cmocka_unit_test(test_huge),
        cmocka_unit_test(test_many_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
