/* Formulas fitted to runs: the smallest that reproduces every run, else the one with the best
 * prediction of left-out runs. */
#ifndef PORTOLAN_PROGRAM_FIT_H
#define PORTOLAN_PROGRAM_FIT_H

#include "program/fit_data.h"
#include "program/formula.h"

/* Runs of which no two have the same values of the inputs @active: others add nothing. */
size_t fit_distinct_runs(const struct fit_data *data, const bool *active);
/* Fits counts: whole numbers, for which exact formulas are tried first, congruence terms (quotients
 * and remainders by 2 to 128) and thresholds included. An input without effect is left out. If no
 * formula is exact, products of powers are chosen: few inputs all subsets, many by L1-penalised
 * regression. Any thread. */
void fit_counts(const struct fit_data *data, struct formula *out);

#endif
