/* Extrapolates noisy quantities far beyond the runs: reuse distances, shares of references. Finds
 * the smallest formula of products of powers that the runs do not contradict. A larger formula must
 * predict left-out runs much better. */
#ifndef PORTOLAN_PROGRAM_GROWTH_H
#define PORTOLAN_PROGRAM_GROWTH_H

#include "program/fit.h"

struct growth_limits {
    /* largest power of one input; with several inputs, the effect of each one determines it */
    unsigned degree;
    /* largest insignificant difference, absolute and relative */
    double grain, scatter;
    double least, most;        /* limits of the quantity */
    /* the formula must stay within the limits up to this factor beyond the inputs of the runs */
    double toward;
    /* the formula must not fall below the value of the farthest run */
    bool rises;
};

/* Fits data->values. @out is never exact. A single run yields a constant. */
void fit_growth(const struct fit_data *data, const struct growth_limits *limits,
                struct formula *out);

#endif
