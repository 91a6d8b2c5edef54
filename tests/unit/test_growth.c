/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extrapolation of noisy quantities. Known formulas are found, and twenty kinds of noise change the
 * result by only a few per cent. */
#include <math.h>

#include "base/rng.h"
#include "program/binned.h"
#include "program/growth.h"
#include "../support/support.h"

static const struct growth_limits distance = {2, 0.25, 0.005, 0, INFINITY, 2, true},
                                  lines = {3, 0.25, 0.005, 0, INFINITY, 2, true},
                                  share = {2, 1e-4, 0.005, 0, 1, 0.5, false};

static double rows(double n) { return 3 * n / 8 + 2; }
static double grids(double n) { return 2 * n * n / 8; }
static double cubes(double n) { return n * n * n / 4 + 2; }
static double cube_and_grid(double n) { return n * n * (n + 1) / 8 + 2; }
static double fixed(double n) { return 5 + 0 * n; }

static void test_exact(void **state)
{
    static double (*const functions[])(double) = {rows, grids, fixed};
    static const double inputs[] = {12, 16, 24, 32};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        double values[4], far = 300;
        struct formula f;
        for (size_t k = 0; k < 4; k++)
            values[k] = functions[i](inputs[k]);
        fit_growth(&(struct fit_data){inputs, 1, 4, values}, &distance, &f);
        assert_float_equal(formula_value(&f, &far, 1), functions[i](far), 1e-6 * functions[i](far));
    }
}

/* There are two inputs: rows of N elements in a grid of M rows. */
static void test_two_inputs(void **state)
{
    double inputs[2 * 9], values[9], far[] = {500, 900};
    struct formula f;
    size_t n = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++, n++) {
            inputs[2 * n] = 16 + 12 * a;
            inputs[2 * n + 1] = 10 + 7 * b;
            values[n] = inputs[2 * n] * inputs[2 * n + 1] / 8 + 4;
        }
    fit_growth(&(struct fit_data){inputs, 2, n, values}, &distance, &f);
    assert_float_equal(formula_value(&f, far, 2), 500 * 900 / 8.0 + 4, 1);
}

/* Predicts the lines of two arrays of many dimensions. In the first 22 runs each input is varied
 * alone, in the others all at random. The degree is five, which no input shows alone. */
static void test_many_inputs(void **state)
{
    static const double values_of[7][4] = {{4, 8, 12, 16},  {3, 4, 5, 8}, {4, 3, 5, 8},
                                           {10, 6, 13, 16}, {3, 2, 4, 6}, {1, 2, 3, 4},
                                           {2, 1, 3, 4}};
    const double far[] = {48, 32, 24, 80, 20, 4, 9};
    double inputs[7 * 60], values[60],
        expected = 48 * 32 * 24 * 80 * 20 / 8.0 + 48 * 32 * 24 * 16 / 8.0;
    struct formula f;
    struct rng rng;
    rng_seed(&rng, 3);
    for (size_t r = 0; r < 60; r++) {
        double *x = inputs + 7 * r;
        for (size_t i = 0; i < 7; i++)
            x[i] = values_of[i][r < 22 ? (r && (r - 1) / 3 == i ? 1 + (r - 1) % 3 : 0)
                                       : rng_below(&rng, 4)];
        values[r] = (x[0] * x[1] * x[2] * x[3] * x[4] / 8 + x[0] * x[1] * x[2] * x[5] * x[5] / 8) *
                    (1 + 0.002 * (rng_unit(&rng) - 0.5));
    }
    fit_growth(&(struct fit_data){inputs, 7, 60, values}, &distance, &f);
    assert_float_equal(formula_value(&f, far, 7) / expected, 1, 0.02);
}

/* Fits the largest eighth of the distances of one load of SNAP (the cells' divisors in dim3_sweep)
 * to 34 small runs, each of which has nine inputs and the measured lines, and predicts a run with
 * larger inputs, which found 29,425 lines. The array itself has one line per eight products of five
 * inputs. In most runs this is a quarter of the distance between two uses. */
static void test_farthest_uses_of_snap(void **state)
{
    static const double runs[][10] = {
        {2, 4, 3, 2, 2, 10, 2, 2, 1, 303.753},  {1, 4, 3, 2, 2, 10, 2, 2, 1, 290.576},
        {4, 4, 3, 2, 2, 10, 2, 2, 1, 328.487},  {2, 8, 3, 2, 2, 10, 2, 2, 1, 423.754},
        {2, 12, 3, 2, 2, 10, 2, 2, 1, 541.052}, {2, 4, 2, 2, 2, 10, 2, 2, 1, 252.051},
        {2, 4, 4, 2, 2, 10, 2, 2, 1, 355.171},  {2, 4, 6, 2, 2, 10, 2, 2, 1, 457.311},
        {2, 4, 3, 3, 2, 10, 2, 2, 1, 379.509},  {2, 4, 3, 4, 2, 10, 2, 2, 1, 454.574},
        {2, 4, 3, 6, 2, 10, 2, 2, 1, 605.411},  {2, 4, 3, 2, 1, 10, 2, 2, 1, 253.167},
        {2, 4, 3, 2, 3, 10, 2, 2, 1, 381.108},  {2, 4, 3, 2, 4, 10, 2, 2, 1, 490.247},
        {2, 4, 3, 2, 2, 6, 2, 2, 1, 255.893},   {2, 4, 3, 2, 2, 13, 2, 2, 1, 339.731},
        {2, 4, 3, 2, 2, 20, 2, 2, 1, 423.449},  {2, 4, 3, 2, 2, 10, 1, 2, 1, 216.852},
        {2, 4, 3, 2, 2, 10, 3, 2, 1, 397.462},  {2, 4, 3, 2, 2, 10, 5, 2, 1, 583.003},
        {2, 4, 3, 2, 2, 10, 2, 1, 1, 305.879},  {2, 4, 3, 2, 2, 10, 2, 3, 1, 302.69},
        {2, 4, 3, 2, 2, 10, 2, 2, 2, 303.819},  {2, 4, 3, 2, 2, 10, 2, 2, 3, 303.848},
        {1, 8, 3, 6, 4, 13, 3, 2, 2, 2971.48},  {1, 8, 4, 3, 1, 20, 1, 3, 3, 453.088},
        {1, 8, 2, 3, 1, 13, 3, 2, 3, 505.692},  {2, 8, 6, 3, 2, 6, 5, 3, 2, 1924.24},
        {2, 8, 6, 3, 2, 20, 2, 1, 3, 1373.88},  {4, 4, 6, 4, 1, 6, 1, 1, 3, 306.876},
        {4, 8, 6, 2, 1, 10, 5, 3, 1, 1343.9},   {4, 8, 4, 2, 4, 13, 3, 1, 2, 1558.88},
        {1, 4, 4, 6, 3, 20, 1, 1, 1, 755.55},   {4, 12, 4, 2, 1, 13, 1, 1, 1, 391.46}};
    static const double far[] = {3, 9, 9, 9, 2, 24, 8, 4, 4};
    const size_t n = sizeof runs / sizeof *runs;
    double inputs[9 * 40], values[40];
    struct formula f;
    for (size_t r = 0; r < n; r++) {
        memcpy(inputs + 9 * r, runs[r], 9 * sizeof(double));
        values[r] = runs[r][9];
    }
    struct growth_limits limits = distance;
    limits.degree = 3;
    fit_growth(&(struct fit_data){inputs, 9, n, values}, &limits, &f);
    double found = formula_value(&f, far, 9);
    print_message("%.0f lines at the larger inputs\n", found);
    assert_true(found > 0.85 * 29425 && found < 1.15 * 29425);
    for (size_t k = 0; k < f.count; k++)
        assert_true(f.coefficients[k] >= 0);
}

/* Predicts N^2 references at a distance of 8, and N at a distance of N, which moves to bins that no
 * run has. First uses are one bin. */
static void test_binned(void **state)
{
    static const double inputs[] = {64, 80, 96, 112, 127};   /* sizes within one octave */
    struct reuse_histogram profiles[5] = {{{0}}}, out;
    const double at = 1.0 / 1000;
    double reciprocals[5];
    for (size_t r = 0; r < 5; r++) {
        reciprocals[r] = 1 / inputs[r];
        reuse_histogram_add(&profiles[r], 8, inputs[r] * inputs[r]);
        reuse_histogram_add(&profiles[r], inputs[r], inputs[r]);
        reuse_histogram_add(&profiles[r], INFINITY, 3 * inputs[r]);
    }
    binned_profile(&(struct fit_data){reciprocals, 1, 5, NULL}, profiles, &at, 1e6 + 4000, &out);
    assert_int_equal(out.bins.count, 3);
    assert_float_equal(out.bins.items[0].count, 1e6, 2000);
    assert_float_equal(out.bins.items[0].distance, 8, 1e-9);
    assert_float_equal(out.bins.items[1].count, 1000, 600);
    assert_true(out.bins.items[1].distance < 128);
    assert_true(isinf(out.bins.items[2].distance));
    assert_float_equal(out.bins.items[2].count, 3000, 1500);
    for (size_t r = 0; r < 5; r++)
        reuse_histogram_done(&profiles[r]);
    reuse_histogram_done(&out);
}

/* A run may have no references, and formulas of fractions may be negative outside of the runs.
 * Counts are nevertheless numbers whose sum is the requested total. */
static void test_binned_empty(void **state)
{
    static const double inputs[] = {1, 2, 3, 4};
    struct reuse_histogram profiles[4] = {{{0}}}, out;
    const double at = 1.0 / 40;
    double reciprocals[4];
    for (size_t r = 0; r < 4; r++)
        reciprocals[r] = 1 / inputs[r];
    binned_profile(&(struct fit_data){reciprocals, 1, 4, NULL}, profiles, &at, 100, &out);
    assert_int_equal(out.bins.count, 0);
    for (size_t r = 1; r < 4; r++) {
        reuse_histogram_add(&profiles[r], 2, 10 * inputs[r]);
        reuse_histogram_add(&profiles[r], INFINITY, 30);
    }
    binned_profile(&(struct fit_data){reciprocals, 1, 4, NULL}, profiles, &at, 100, &out);
    assert_float_equal(reuse_histogram_total(&out), 100, 1e-9);
    for (size_t r = 0; r < 4; r++)
        reuse_histogram_done(&profiles[r]);
    reuse_histogram_done(&out);
}

static void test_scatter(void **state)
{
    static const double inputs[] = {12, 16, 24, 32, 48};
    static double (*const functions[])(double) = {rows, grids};
    struct rng rng;
    rng_seed(&rng, 20);
    for (size_t i = 0; i < 2; i++)
        for (int kind = 0; kind < 20; kind++) {
            double values[5], far = 300;
            struct formula f;
            for (size_t k = 0; k < 5; k++)
                values[k] = functions[i](inputs[k]) + 0.5 * (rng_unit(&rng) - 0.5);
            fit_growth(&(struct fit_data){inputs, 1, 5, values}, &distance, &f);
            if (fabs(formula_value(&f, &far, 1) / functions[i](far) - 1) > 0.1)
                fail_msg("function %zu, scatter %d: %g instead of %g", i, kind,
                         formula_value(&f, &far, 1), functions[i](far));
        }
}

/* Predicts the distinct lines of arrays of one to three dimensions from small runs. A parabola
 * fits the cubes of these runs within two lines. The alignment of arrays changes the lines of a run
 * by at most an eighth. */
static void test_dimensions(void **state)
{
    static const double inputs[][6] = {
        {6, 8, 9, 11, 12}, {8, 10, 12, 13, 15, 16}, {24, 28, 32, 36}, {16, 24, 32, 37, 48, 50}};
    static const size_t counts[] = {5, 6, 4, 6};
    static double (*const functions[])(double) = {rows, grids, cubes, cube_and_grid};
    const double far = 128;
    struct rng rng;
    rng_seed(&rng, 54);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (size_t k = 0; k < 20 * sizeof counts / sizeof *counts; k++) {
            const size_t set = k / 20;
            double values[6];
            struct formula f;
            for (size_t r = 0; r < counts[set]; r++)
                values[r] = functions[i](inputs[set][r]) + 0.125 * (rng_unit(&rng) - 0.5);
            fit_growth(&(struct fit_data){inputs[set], 1, counts[set], values}, &lines, &f);
            if (fabs(formula_value(&f, &far, 1) / functions[i](far) - 1) > 0.1)
                fail_msg("function %zu, runs %zu: %g instead of %g", i, set,
                         formula_value(&f, &far, 1), functions[i](far));
        }
}

/* A fraction caused by the rows' ends decreases with 1 / N to its limit, and stays between 0 and
 * 1. */
static void test_share(void **state)
{
    static const double inputs[] = {12, 16, 24, 32};
    double reciprocals[4], values[4], far = 1.0 / 4096;
    struct formula f;
    for (size_t k = 0; k < 4; k++) {
        reciprocals[k] = 1 / inputs[k];
        values[k] = 0.125 + 0.875 / inputs[k];
    }
    fit_growth(&(struct fit_data){reciprocals, 1, 4, values}, &share, &f);
    assert_float_equal(formula_value(&f, &far, 1), 0.125 + 0.875 * far, 1e-6);
    for (size_t k = 0; k < 4; k++)
        /* A formula of second degree would leave [0, 1]. */
        values[k] = 0.02 + 0.9 * pow(1 - 1 / inputs[k], 12);
    fit_growth(&(struct fit_data){reciprocals, 1, 4, values}, &share, &f);
    for (double n = 32; n < 5000; n *= 2) {
        double at = 1 / n;
        assert_true(formula_value(&f, &at, 1) <= 1.01);
    }
}

/* Data that decrease at the end are extrapolated without unbounded growth and without negative
 * values. */
static void test_sensible(void **state)
{
    static const double inputs[] = {16, 32, 64, 128}, values[] = {40, 90, 130, 120};
    double far = 4096;
    struct formula f;
    fit_growth(&(struct fit_data){inputs, 1, 4, values}, &distance, &f);
    assert_true(formula_value(&f, &far, 1) >= 40 &&
                formula_value(&f, &far, 1) <= 130.0 * 4096 / 64);
    fit_growth(&(struct fit_data){inputs, 1, 1, values}, &distance, &f);
    assert_true(formula_value(&f, &far, 1) == 40);
}

/* Only the largest runs show the columns of a triangular loop as a separate cluster. Three
 * neighbouring values of a quadratic quantity look like a line, which is below 0 nearby. A line
 * that begins at 8 remains a line. */
static void test_neighbours(void **state)
{
    static const double largest[] = {61, 64, 75}, all[] = {16, 24, 32, 48, 75};
    /* a symmetric product: two triangular columns of N * N / 3 numbers each, in lines of eight */
    double values[5], far = 600;
    struct formula f;

    for (size_t k = 0; k < 3; k++)
        values[k] = largest[k] * largest[k] / 6.4 + 1.3 * largest[k];
    fit_growth(&(struct fit_data){largest, 1, 3, values}, &distance, &f);
    assert_float_equal(formula_value(&f, &far, 1), far * far / 6.4 + 1.3 * far, 600);
    for (size_t k = 0; k < 5; k++)
        values[k] = all[k] - 8;
    fit_growth(&(struct fit_data){all, 1, 5, values}, &distance, &f);
    assert_float_equal(formula_value(&f, &far, 1), far - 8, 1e-6);
}

/* Costs of a call in six runs of one input, and in a grid of runs of two inputs */
static void test_growth_seen(void **state)
{
    static const struct growth_limits cost = {2, 30, 0.25, 0, INFINITY, 2, false};
    static const double inputs[] = {16, 24, 32, 37, 48, 50},
                        /* page faults in two of the runs */
        noise[] = {31e3, 92e3, 30e3, 35e3, 95e3, 33e3},
                        /* sorting, with one disturbed run */
        sorted[] = {900, 1500, 2100, 3300, 3400, 3600},
                        falling[] = {7e3, 5e3, 4e3, 3e3, 2e3, 1900},
                        unknown[] = {900, NAN, 2100, 2500, NAN, 3600};
    double grid[2 * 9], product[9];
    struct rng rng;
    int seen = 0;
    rng_seed(&rng, 5);
    assert_false(growth_seen(&(struct fit_data){inputs, 1, 6, noise}, &cost));
    assert_true(growth_seen(&(struct fit_data){inputs, 1, 6, sorted}, &cost));
    assert_false(growth_seen(&(struct fit_data){inputs, 1, 6, falling}, &cost));
    assert_true(growth_seen(&(struct fit_data){inputs, 1, 6, unknown}, &cost));
    for (size_t k = 0; k < 9; k++) {
        grid[2 * k] = 10.0 + 10.0 * (double)(k / 3);
        grid[2 * k + 1] = 100.0 - 30.0 * (double)(k % 3);
        product[k] = 50 * grid[2 * k] * grid[2 * k + 1];
    }
    assert_true(growth_seen(&(struct fit_data){grid, 2, 9, product}, &cost));
    /* Of 720 orders of six values, 6 have at most one falling pair. */
    for (int i = 0; i < 720; i++) {
        double values[6];
        for (size_t k = 0; k < 6; k++)
            values[k] = exp(20 * rng_unit(&rng));
        seen += growth_seen(&(struct fit_data){inputs, 1, 6, values}, &cost);
    }
    assert_in_range(seen, 0, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),       cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_many_inputs), cmocka_unit_test(test_farthest_uses_of_snap),
        cmocka_unit_test(test_binned),      cmocka_unit_test(test_binned_empty),
        cmocka_unit_test(test_scatter),     cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_sensible),    cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_growth_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
