/* Fits formulas to runs: the shortest exact one, else the one with the best prediction of left-out
 * runs. */
#ifndef PORTOLAN_PROGRAM_FIT_H
#define PORTOLAN_PROGRAM_FIT_H

#include "program/fit_data.h"
#include "program/formula.h"

/* Number of runs with distinct values of the inputs @active; duplicates add no information. */
size_t fit_distinct_runs(const struct fit_data *data, const bool *active);
/* Fits counts: whole numbers, for which exact formulas are tried first, congruence terms (quotients
 * and remainders by 2 to 128) and thresholds included. An input without effect is left out. If no
 * formula is exact, products of powers are chosen: of few inputs all subsets, of many one
 * after another. Any thread. */
void fit_counts(const struct fit_data *data, struct formula *out);
/* The same, and of one that is not exact the others in @near. */
void fit_counts_near(const struct fit_data *data, struct formula *out, struct fit_near *near);

/* Internal, products.c: counts of several inputs as sums of products of single-input terms: powers,
 * quotients and remainders from runs that differ in one input, joined by those that differ in
 * several. Degrees add up over inputs without a table of all products of that degree. */

/* Finds an exact formula of the inputs @active, with spare runs. False if none; @out is unchanged
 * then. */
bool products_exact(const struct fit_data *data, const bool *active, struct formula *out);
/* Finds an inexact formula: adds the most useful term while the left-out error falls. False unless
 * its left-out error is below @error; @out is unchanged then. */
bool products_best(const struct fit_data *data, const bool *active, double error,
                   struct formula *out);

/* symbolic.c: formulas by genetic programming: expressions of the inputs that are bred from each
 * other (PPT-AMMP, section 6.1: 3,000 generations, crossover 0.9). Each is judged with the best
 * offset and factor put to it (linear scaling, Keijzer 2003). The same data give the same
 * formula. */

/* Returns whether regression failed: @fitted, from fit_counts, has a left-out error above 2 %, and
 * there are at least 8 runs. */
bool symbolic_needed(const struct fit_data *data, const struct formula *fitted);
/* Evolves a formula of data->values without the largest run. It replaces @out, from fit_counts, if
 * it predicts that run better than regression without it does, and likewise each left-out run (with
 * the expression kept). If not, false with @out unchanged. At least 3 runs; takes some seconds,
 * limited to 900,000 expressions on each run. */
bool symbolic_fit(const struct fit_data *data, struct formula *out);

#endif
