/* Fits formulas to runs: the shortest exact formula, or if there is none, the formula that best
 * predicts left-out runs. */
#ifndef PORTOLAN_PROGRAM_FIT_H
#define PORTOLAN_PROGRAM_FIT_H

#include "program/fit_data.h"
#include "program/formula.h"

/* Returns the number of runs with distinct values of the inputs @active. Further runs with the
 * same values add no information. */
size_t fit_distinct_runs(const struct fit_data *data, const bool *active);
/* Fits counts, which are integers. Tries exact formulas first, with congruence terms (quotients and
 * remainders by 2 to 128) and thresholds. Omits inputs without effect. If no formula is exact,
 * chooses products of powers: of few candidate terms, tries all small subsets; of many, adds terms
 * one by one. Any thread. */
void fit_counts(const struct fit_data *data, struct formula *out);
/* Fits counts like fit_counts. If the formula is not exact, adds to @near the other formulas that
 * are about as good. */
void fit_counts_near(const struct fit_data *data, struct formula *out, struct fit_near *near);


/* Finds an exact formula of the inputs @active with fewer terms than distinct runs: a sum of
 * products of single-input terms (powers, quotients, remainders). Runs that differ in one input
 * determine the terms, and runs that differ in several inputs determine their products. Returns
 * false and leaves @out unchanged if there is none. */
bool products_exact(const struct fit_data *data, const bool *active, struct formula *out);
/* Finds an inexact formula of the kind of products_exact. Adds the most useful terms one by one.
 * Returns the last formula that clearly reduces the error at left-out runs. Returns false and
 * leaves @out unchanged unless that error falls below @error. */
bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out);


/* Returns whether regression failed and genetic programming is needed: @fitted, the result of
 * fit_counts, has an error above 2 % at left-out runs. Returns false with fewer than 8 runs. */
bool symbolic_needed(const struct fit_data *data, const struct formula *fitted);
/* Evolves a formula of data->values, without the largest run, by genetic programming (PPT-AMMP,
 * section 6.1: 3,000 generations, crossover 0.9). Each expression of the inputs is evaluated with
 * its best offset and factor (linear scaling, Keijzer 2003). Replaces @out, the result of
 * fit_counts, if the formula predicts the largest run clearly better than regression without this
 * run. The expression, fitted to all runs, must also have a clearly lower error at left-out runs
 * than @out. Otherwise returns false and leaves @out unchanged. Equal data give equal formulas.
 * Needs at least 3 runs. Takes some seconds, limited to 900,000 expressions per run. */
bool symbolic_fit(const struct fit_data *data, struct formula *out);

#endif
