/* Extrapolates noisy quantities, such as reuse distances and shares of references, far beyond the
 * runs. Finds the formula with the fewest products of powers that the runs do not contradict.
 * Prefers a formula with more products if it predicts left-out runs much better. */
#ifndef PORTOLAN_PROGRAM_GROWTH_H
#define PORTOLAN_PROGRAM_GROWTH_H

#include "program/fit.h"

struct growth_limits {
    /* largest power of an input; with several inputs, the effect of each one determines its
     * power */
    unsigned degree;
    /* largest difference that is not significant: @grain absolute, @scatter relative to the
     * value */
    double grain, scatter;
    double least, most;        /* smallest and largest possible value */
    /* factor by which each step of the tests changes inputs beyond the runs; above 1: inputs
     * grow */
    double toward;
    /* whether the formula must not decrease in the test steps */
    bool rises;
};

/* Returns whether the values do not fall with the inputs. Compares pairs of runs of which one has
 * the larger inputs and whose values differ significantly. The values fall in at most a tenth of
 * these pairs. Omits runs with the value NaN. */
bool growth_seen(const struct fit_data *data, const struct growth_limits *limits);

/* Fits data->values. @out is never exact. A single run yields a constant. */
void fit_growth(const struct fit_data *data, const struct growth_limits *limits,
                struct formula *out);

#endif
