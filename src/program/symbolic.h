/* Formulas by genetic programming: expressions of the inputs that are bred from each other
 * (PPT-AMMP, section 6.1: 3,000 generations, crossover 0.9). Each is judged with the best offset
 * and factor put to it (linear scaling, Keijzer 2003). The same data give the same formula. */
#ifndef PORTOLAN_PROGRAM_SYMBOLIC_H
#define PORTOLAN_PROGRAM_SYMBOLIC_H

#include "program/fit.h"

/* Whether regression failed: @fitted, which fit_counts gave, has a left-out error above 2 %, and
 * there are runs enough (8) to breed from. Any thread. */
bool symbolic_needed(const struct fit_data *data, const struct formula *fitted);
/* Breeds a formula of data->values without the largest run; it takes the place of @out, which
 * fit_counts gave, when it predicts that run better than regression without it, and, fitted to all,
 * each run that is left out (its expression kept). False otherwise, with @out as it was. At least 3
 * runs; the time is bounded by 900,000 expressions on each run, some seconds. Any thread. */
bool symbolic_fit(const struct fit_data *data, struct formula *out);

#endif
