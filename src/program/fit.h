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

#endif
