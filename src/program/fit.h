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

#endif
