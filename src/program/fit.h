/* Fits formulas to runs: the shortest exact one, else the one with the best prediction of left-out
 * runs. */
#ifndef PORTOLAN_PROGRAM_FIT_H
#define PORTOLAN_PROGRAM_FIT_H

#include "program/fit_data.h"
#include "program/formula.h"

/* Number of runs with distinct values of the inputs @active; duplicates add no information. */
size_t fit_distinct_runs(const struct fit_data *data, const bool *active);
/* Fits integer counts. Exact formulas are tried first, including quotients and remainders by 2 to
 * 128 and thresholds. Inputs without effect are excluded. If none is exact, fits products of
 * powers: all subsets for few inputs, L1-penalised regression for many. */
void fit_counts(const struct fit_data *data, struct formula *out);

/* Internal, products.c: counts of several inputs as sums of products of single-input terms: powers,
 * quotients and remainders from runs that differ in one input, joined by those that differ in
 * several. Degrees add up over inputs without a table of all products of that degree. */

/* An exact formula of the inputs that are @active, with runs to spare. False: none was found, @out
 * is as it was. Any thread. */
bool products_exact(const struct fit_data *data, const bool *active, struct formula *out);
/* An inexact one: adds the term that explains most while the left-out error falls. False when its
 * left-out error is not below @error: @out is unchanged. Any thread. */
bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out);

/* symbolic.c: formulas by genetic programming: expressions of the inputs that are bred from each
 * other (PPT-AMMP, section 6.1: 3,000 generations, crossover 0.9). Each is judged with the best
 * offset and factor put to it (linear scaling, Keijzer 2003). The same data give the same
 * formula. */

/* Whether regression failed: @fitted, which fit_counts gave, has a left-out error above 2 %, and
 * there are runs enough (8) to breed from. Any thread. */
bool symbolic_needed(const struct fit_data *data, const struct formula *fitted);
/* Breeds a formula of data->values without the largest run; it takes the place of @out, which
 * fit_counts gave, when it predicts that run better than regression without it, and, fitted to all,
 * each run that is left out (its expression kept). False otherwise, with @out as it was. At least 3
 * runs; the time is bounded by 900,000 expressions on each run, some seconds. Any thread. */
bool symbolic_fit(const struct fit_data *data, struct formula *out);

#endif
