/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neural arithmetic logic unit: values and gradients by hand, gradients by finite differences,
 * functions that it can learn. Formulas evolved from the same runs extrapolate better. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "program/fit.h"
#include "program/paper/nalu.h"
#include "../support/support.h"

/* One input, one hidden cell. With all parameters 0, both layers have W = 0, so a = 0, m = 1, g =
 * 1/2 and y = 1/2. At x = 1/2 the second layer has dy/dW = x / 2 + log(x) / 2, dW/dA = 1/2, dW/dB =
 * 0, dy/dG = (a - m) / 4 x = -1/8. No gradient reaches the first layer. */
static void test_zero(void **state)
{
    struct nalu n = {.inputs = 1, .hidden = 1, .input_scale = {4}, .scale = 10};
    const double inputs[] = {4}, values[] = {10};
    const struct fit_data data = {inputs, 1, 1, values};
    double gradient[NALU_PARAMETERS];
    assert_float_equal(nalu_value(&n, inputs), 5, 1e-12);
    assert_float_equal(nalu_loss(&n, &data, gradient), 0.25, 1e-12);
    const double outer = 2 * (0.5 - 1);
    assert_float_equal(gradient[3], outer * 0.5 * (0.25 + 0.5 * log(0.5 + 1e-7)), 1e-12);
    assert_float_equal(gradient[4], 0, 1e-12);
    assert_float_equal(gradient[5], outer * -0.125, 1e-12);
    for (size_t i = 0; i < 3; i++)
        assert_float_equal(gradient[i], 0, 1e-12);
}

/* The second layer returns its input (W = 1, g = 0: exp(log h) = h). The first layer with all
 * parameters 0 has y = 1/2. x = 1, so log x = 0: dy/dA = x / 2 / 2, dy/dG = -1/4. */
static void test_through(void **state)
{
    struct nalu n = {.inputs = 1,
                     .hidden = 1,
                     .input_scale = {1},
                     .scale = 1,
                     .parameters = {0, 0, 0, 40, 40, -200}};
    const double inputs[] = {1}, values[] = {1};
    const struct fit_data data = {inputs, 1, 1, values};
    double gradient[NALU_PARAMETERS];
    assert_float_equal(nalu_value(&n, inputs), 0.5, 1e-6);
    nalu_loss(&n, &data, gradient);
    const double outer = 2 * (0.5 - 1);
    assert_float_equal(gradient[0], outer * 0.25, 1e-6);
    assert_float_equal(gradient[1], 0, 1e-6);
    assert_float_equal(gradient[2], outer * -0.25, 1e-6);
}

static void test_gradient(void **state)
{
    const double inputs[] = {3, 50, 7, 20, 9, 80, 12, 35, 2, 90}, values[] = {12, 400, 31, 1000, 0};
    const struct fit_data data = {inputs, 2, 5, values};
    double gradient[NALU_PARAMETERS];
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 20; round++) {
        struct nalu n = {
            .inputs = 2, .hidden = NALU_HIDDEN, .input_scale = {12, 90}, .scale = 1000};
        for (size_t i = 0; i < nalu_parameter_count(&n); i++)
            n.parameters[i] = 3 * rng_unit(&rng) - 1.5;
        nalu_loss(&n, &data, gradient);
        for (size_t i = 0; i < nalu_parameter_count(&n); i++) {
            struct nalu up = n, down = n;
            const double step = 1e-6;
            up.parameters[i] += step;
            down.parameters[i] -= step;
            double by_difference =
                (nalu_loss(&up, &data, NULL) - nalu_loss(&down, &data, NULL)) / (2 * step);
            if (fabs(gradient[i] - by_difference) >
                1e-5 * (fabs(by_difference) + nalu_loss(&n, &data, NULL)))
                fail_msg("round %d, parameter %zu: %g instead of %g", round, i, gradient[i],
                         by_difference);
        }
    }
}

static double product(const double *x, double noise) { (void)noise; return x[0] * x[1]; }
static double chains(const double *x, double noise)
{
    return rint(0.5 * x[0] * x[0] / x[1] * (1 + 0.02 * noise) + x[0]);
}
static double smaller(const double *x, double noise)
{
    return 3 * fmin(x[0], 4 * x[1]) * x[0];
}
static double quotient(const double *x, double noise)
{
    return rint(x[0] * x[0] * x[0] / (x[0] + 8 * x[1]) * (1 + 0.03 * noise));
}

static size_t runs(double inputs[2 * 25], double values[25], double (*of)(const double *, double))
{
    size_t n = 0;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++, n++) {
            inputs[2 * n] = 100 + 75 * a;
            inputs[2 * n + 1] = 8 + 13 * b;
            values[n] = of(inputs + 2 * n, 2 * rng_unit(&rng) - 1);
        }
    return n;
}

/* Learns a product, for which the unit was designed. The fit is accurate within the runs, and
 * reproducible. */
static void test_product(void **state)
{
    double inputs[2 * 25], values[25];
    struct nalu n, again;
    const struct fit_data data = {inputs, 2, runs(inputs, values, product), values};
    double error = nalu_fit(&data, &n);
    assert_true(error < 0.1 && nalu_loss(&n, &data, NULL) < 0.05 * 0.05);
    assert_true(nalu_fit(&data, &again) == error);
    assert_memory_equal(&n, &again, sizeof n);
}

/* The network is worse than symbolic regression, as in the paper (section 6.2). Compares counts
 * without a regression formula, at four times the range of the runs. */
static void test_worse_than_symbolic(void **state)
{
    static double (*const functions[])(const double *, double) = {chains, smaller, quotient};
    const double far[] = {1600, 240};
    double bred_sum = 0, network_sum = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        double inputs[2 * 25], values[25], truth = functions[i](far, 0);
        struct formula bred;
        struct nalu network;
        const struct fit_data data = {inputs, 2, runs(inputs, values, functions[i]), values};
        fit_counts(&data, &bred);
        if (symbolic_needed(&data, &bred))   /* Otherwise regression finds a formula. */
            symbolic_fit(&data, &bred);
        double left_out = nalu_fit(&data, &network),
               b = fabs(formula_value(&bred, far, 2) / truth - 1),
               n = fabs(nalu_value(&network, far) / truth - 1);
        print_message("function %zu at four times the runs: bred %.2f %% off (left-out error %.2f "
                      "%%), network %.2f %% (%.2f %%)\n",
                      i, 100 * b, 100 * bred.error, 100 * n, 100 * left_out);
        bred_sum += b;
        network_sum += n;
    }
    assert_true(bred_sum < network_sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zero), cmocka_unit_test(test_through),
                                       cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_worse_than_symbolic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
