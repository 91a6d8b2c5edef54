/* Extrapolates scattered quantities far beyond the runs: reuse distances, shares of references.
 * Uses the smallest formula of products of powers that the runs do not contradict; a larger one
 * must predict left-out runs much better. */
#ifndef PORTOLAN_PROGRAM_GROWTH_H
#define PORTOLAN_PROGRAM_GROWTH_H

#include "program/fit.h"

struct growth_limits {
    /* largest power of one input; with several inputs the effect of each decides */
    unsigned degree;
    /* absolute and relative difference that is not significant */
    double grain, scatter;
    double least, most;        /* range of the quantity */
    /* factor from the runs to inputs at which the formula must still stay within the limits */
    double toward;
    /* and never fall below the value of the farthest run */
    bool rises;
};

/* Fits data->values; @out is never exact. A single run gives a constant. */
void fit_growth(const struct fit_data *data, const struct growth_limits *limits,
                struct formula *out);

#endif
