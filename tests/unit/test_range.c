/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts that are marked exact are correct for other inputs. The ranges of all others contain the
 * true count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/fit.h"
#include "program/range.h"
#include "../support/support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double square(double n) { return 2 * n * n + 3; }
static double triangle(double n) { return n * (n - 1) / 2; }
static double body(double n) { return n * floor(n / 4); }
static double rest(double n) { return fmod(n, 4); }
static double odd_only(double n) { return fmod(n, 2) * 61; }
static double rest_rows(double n) { return fmod(n, 4) > 0 ? n : 0; }
static double logarithm(double n) { return floor(log2(n)); }
static double search(double n) { return n * floor(log2(n)); }
static double sorted(double n) { return floor(n * log2(n)) + 5; }
static double root(double n) { return floor(sqrt(n)); }
static double cells(double n) { return pow(floor(n * 0.6247), 3); }
static double limited(double n) { return fmin(n, 100); }
static double above(double n) { return fmax(0, n - 70); }
static double once(double n) { return n == 61 ? 61 : 0; }
static double ones(double n) { return __builtin_popcount((unsigned)n); }
static double divisors(double n)
{
    double count = 0;
    for (double k = 1; k <= n; k++)
        count += fmod(n, k) == 0;
    return count;
}

static double (*const functions[])(double) = {square,    triangle,  body,   rest, odd_only,
                                              rest_rows, logarithm, search, root, cells,
                                              limited,   above,     once,   ones, divisors};

static const double few[] = {24, 32, 48, 61, 64, 96, 128}, powers[] = {16, 32, 64, 128},
                    plain[] = {10, 20, 30, 40, 50, 60}, near[] = {6, 7, 8, 9, 10, 12},
                    two[] = {100, 200};
static const struct {
    const double *at;
    size_t count;
} runs[] = {{few, COUNT(few)},
            {powers, COUNT(powers)},
            {plain, COUNT(plain)},
            {near, COUNT(near)},
            {two, COUNT(two)}};
static const double elsewhere[] = {5,   17,  33,  47,  63,   77,   100,
                                   101, 127, 255, 421, 1000, 1023, 4096};

static struct fit_near near_it;   /* uncertainty of the latest fit */

static void fit(double (*of)(double), const double *at, size_t count, double *values,
                struct formula *f)
{
    for (size_t i = 0; i < count; i++)
        values[i] = of(at[i]);
    fit_counts_near(&(struct fit_data){at, 1, count, values}, f, &near_it);
}

/* Returns whether a run had the same remainder as @n, for each term that depends on one. */
static bool remainders_seen(const struct formula *f, const double *at, size_t count, double n)
{
    for (size_t k = 0; k < f->count; k++) {
        const struct formula_term *t = &f->terms[k];
        bool seen = t->kind < TERM_QUOTIENT || t->kind > TERM_REMAINS || t->width < 2;
        for (size_t i = 0; i < count && !seen; i++)
            seen = fmod(at[i] - t->offset, t->width) == fmod(n - t->offset, t->width);
        if (!seen)
            return false;
    }
    return true;
}

/* Fits growth, steps, remainders and counts without a formula to several sets of runs. A formula
 * marked exact is exact for all other values, or is marked only for the values of the runs. */
static void test_exact_is_right(void **state)
{
    size_t exact = 0;

    for (size_t s = 0; s < COUNT(runs); s++)
        for (size_t i = 0; i < COUNT(functions); i++) {
            double values[16];
            struct formula f;
            fit(functions[i], runs[s].at, runs[s].count, values, &f);
            bool constant = true;
            for (size_t k = 1; k < runs[s].count; k++)
                constant &= values[k] == values[0];
            /* No run is large enough to reveal the limit. */
            if (!f.exact || f.within || constant ||
                (functions[i] == limited && runs[s].at[runs[s].count - 1] <= 100))
                continue;
            exact++;
            for (size_t k = 0; k < COUNT(elsewhere); k++)
                if (elsewhere[k] >= runs[s].at[0] &&
                    remainders_seen(&f, runs[s].at, runs[s].count, elsewhere[k]) &&
                    formula_value(&f, &elsewhere[k], 1) != functions[i](elsewhere[k]))
                    fail_msg("function %zu by runs %zu is called exact: %g at %g, not %g", i, s,
                             formula_value(&f, &elsewhere[k], 1), elsewhere[k],
                             functions[i](elsewhere[k]));
        }
    assert_true(exact >= 10);
}

/* The range of an inexact count contains the true count up to eight times the largest run, and is
 * narrow if growth is clear. */
static void test_range_holds(void **state)
{
    static double (*const grown[])(double) = {logarithm, search, root, cells, above};

    for (size_t i = 0; i < COUNT(grown); i++) {
        double values[16], least, most;
        struct formula f;
        struct formula_range r;
        fit(grown[i], few, COUNT(few), values, &f);
        assert_false(f.exact && !f.within);
        range_find(&(struct fit_data){few, 1, COUNT(few), values}, &f, &near_it, &r);
        for (double n = 160; n <= 1024; n *= 2) {
            range_at(&r, &f, &n, 1, &least, &most);
            /* The tolerance is needed, because counts are rounded to integers. */
            const double truth = grown[i](n), slack = 0.08 * truth;
            if (truth < least - slack || truth > most + slack)
                fail_msg("function %zu at %g: %g, not %g to %g", i, n, truth, least, most);
        }
        range_done(&r);
    }
    double values[16], least, most, far = 1024;
    struct formula f;
    struct formula_range r;
    fit(sorted, few, COUNT(few), values, &f);
    range_find(&(struct fit_data){few, 1, COUNT(few), values}, &f, &near_it, &r);
    range_at(&r, &f, &far, 1, &least, &most);
    assert_true(most < 1.5 * least);
    range_done(&r);
}

static double grown(double n) { return floor(pow(1.6, n)); }
static double grown_later(double n) { return 4 + floor(pow(1.6, n)); }

/* A count that grows in steps is not exponential, even if the last step is steep. The range of an
 * exponential count contains its growth, with a constant only at near inputs, because the rate of
 * the last runs is too small. */
static void test_steps_are_not_exponential(void **state)
{
    static const double at[] = {4, 5, 6, 7, 8, 9, 10, 11, 12};
    double values[COUNT(at)], least, most, far = 32;
    struct formula f;
    struct formula_range r;

    (void)state;
    fit(cells, at, COUNT(at), values, &f);
    range_find(&(struct fit_data){at, 1, COUNT(at), values}, &f, &near_it, &r);
    range_at(&r, &f, &far, 1, &least, &most);
    assert_true(least <= cells(far) && most >= cells(far));
    assert_true(most < 10 * cells(far));
    range_done(&r);
    for (int i = 0; i < 2; i++) {
        double (*const of)(double) = i ? grown_later : grown;
        fit(of, at, COUNT(at), values, &f);
        range_find(&(struct fit_data){at, 1, COUNT(at), values}, &f, &near_it, &r);
        assert_false(f.exact);
        for (far = 16; far <= (i ? 16 : 32); far += 16) {
            range_at(&r, &f, &far, 1, &least, &most);
            if (!(most >= of(far)))
                fail_msg("function %d at %g: %g, not up to %g", i, far, of(far), most);
        }
        range_done(&r);
    }
}

/* The uncertainty of a power is 2.1 standard errors of a slope. The standard error follows from the
 * normal equations, and for values in a geometric series from their ratio. Repeated values change
 * nothing. For two neighbouring values, the sum of squares is half of their relative difference
 * squared. */
static void test_power_error(void **state)
{
    static const double at[] = {4, 5, 6, 7, 8, 9, 10, 11, 12}, series[] = {4, 4, 8, 8, 16};
    double values[COUNT(at)], sums[3] = {0};
    struct formula f;
    struct formula_range r;

    (void)state;
    fit(cells, at, COUNT(at), values, &f);
    range_find(&(struct fit_data){at, 1, COUNT(at), values}, &f, &near_it, &r);
    for (size_t i = 0; i < COUNT(at); i++)
        for (int k = 0; k < 3; k++)
            sums[k] += pow(log(at[i]), k);
    const double inverse = sums[0] / (sums[0] * sums[2] - sums[1] * sums[1]);
    assert_true(r.left_out > 0.05);
    assert_true(fabs(r.exponent[0] - 2.1 * r.left_out * sqrt(inverse)) < 1e-9);
    range_done(&r);
    fit(divisors, series, COUNT(series), values, &f);
    values[0] = 20;
    f = (struct formula){.count = 1, .coefficients = {1}};
    f.terms[0].power[0] = 1;
    range_find(&(struct fit_data){series, 1, COUNT(series), values}, &f, &(struct fit_near){0}, &r);
    assert_true(r.left_out > 0.05);
    assert_true(fabs(r.exponent[0] - 2.1 * fmin(1, r.left_out) * sqrt(2) / log(4)) < 1e-9);
    range_done(&r);
    static const double close[] = {1e7, 1e7 + 1};
    range_find(&(struct fit_data){close, 1, 2, (double[]){20, 40}}, &f, &(struct fit_near){0}, &r);
    const double clear = 2.1 * fmin(1, r.left_out) * sqrt(2) * 1e7;
    assert_true(r.left_out > 0.05);
    assert_true(fabs(r.exponent[0] / clear - 1) < 1e-6);
    range_done(&r);
}

/* One value determines nothing: a count in one run, as many terms as values, or a single run. */
static void test_nothing_from_one(void **state)
{
    double values[16], least, most, far = 421;
    struct formula f;
    struct formula_range r;

    fit(once, few, COUNT(few), values, &f);
    assert_false(f.exact);
    range_find(&(struct fit_data){few, 1, COUNT(few), values}, &f, &near_it, &r);
    range_at(&r, &f, &far, 1, &least, &most);
    assert_true(least == 0 && most >= 421);
    range_done(&r);
    /* This is a cubic through three values. */
    f = (struct formula){.count = 3,
                         .terms = {{.power = {3}}, {.power = {1}}, {.power = {0}}},
                         .coefficients = {1, 1, 1}};
    assert_int_equal(range_decided(&(struct fit_data){powers, 1, 3, values}, &f), 1);
    assert_int_equal(range_decided(&(struct fit_data){powers, 1, 4, values}, &f), 0);
    fit(square, powers, 1, values, &f);
    assert_false(f.exact);
    range_find(&(struct fit_data){powers, 1, 1, values}, &f, &near_it, &r);
    range_at(&r, &f, &far, 1, &least, &most);
    assert_true(isinf(most) && least == 0);
    range_done(&r);
}

/* The runs have three values of one input and five of another. The count grows with the logarithm
 * of the first, of which it is not a polynomial. */
static void test_whole_values_left_out(void **state)
{
    static const double p[] = {100, 200, 400}, g[] = {20, 40, 60, 100, 150};
    double inputs[30], values[15], far[] = {10000, 1000};
    struct formula f;
    size_t n = 0;

    for (size_t i = 0; i < COUNT(p); i++)
        for (size_t k = 0; k < COUNT(g); k++, n++) {
            inputs[2 * n] = p[i];
            inputs[2 * n + 1] = g[k];
            values[n] = g[k] * floor(log2(p[i]));
        }
    fit_counts(&(struct fit_data){inputs, 2, n, values}, &f);
    assert_true(!f.exact || f.within & 1);
    const double truth = 1000 * floor(log2(10000)), value = formula_value(&f, far, 2);
    if (!(value > truth / 2 && value < truth * 2))
        fail_msg("%g, not %g", value, truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_is_right),
        cmocka_unit_test(test_range_holds),
        cmocka_unit_test(test_steps_are_not_exponential),
        cmocka_unit_test(test_power_error),
        cmocka_unit_test(test_nothing_from_one),
        cmocka_unit_test(test_whole_values_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
