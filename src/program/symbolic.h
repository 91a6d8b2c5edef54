/* Formulas by genetic programming: expressions of the inputs (PPT-AMMP, section 6.1: 3,000
 * generations, crossover 0.9). Each is judged with its best offset and factor (linear scaling,
 * Keijzer 2003). Deterministic. */
#ifndef PORTOLAN_PROGRAM_SYMBOLIC_H
#define PORTOLAN_PROGRAM_SYMBOLIC_H

#include "program/fit.h"

/* Returns whether regression failed: @fitted, from fit_counts, has a left-out error above 2 %, and
 * there are at least 8 runs. */
bool symbolic_needed(const struct fit_data *data, const struct formula *fitted);
/* Evolves a formula of data->values without the largest run. It replaces @out, from fit_counts, if
 * it predicts that run better than regression without it does, and likewise each left-out run (with
 * the expression kept). If not, false with @out unchanged. At least 3 runs; takes some seconds,
 * limited to 900,000 expressions on each run. */
bool symbolic_fit(const struct fit_data *data, struct formula *out);

#endif
