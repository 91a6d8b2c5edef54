/* Quantities with some scatter, extrapolated far beyond the runs: reuse distances, shares of
 * references. The smallest formula of products of powers that the runs do not contradict; a larger
 * one must predict left-out runs much better. */
#ifndef PORTOLAN_PROGRAM_GROWTH_H
#define PORTOLAN_PROGRAM_GROWTH_H

#include "program/fit.h"

struct growth_limits {
    /* of a term in one input at most; with several, each input's own effect decides */
    unsigned degree;
    /* differences of this size, and of this share of a value, are insignificant */
    double grain, scatter;
    double least, most;        /* range of the quantity */
    /* factor that leads the inputs outside of the runs: the formula must stay within the limits
     * there */
    double toward;
    /* along that path it never falls below the value of the farthest run */
    bool rises;
};

/* Fits data->values; @out is never exact. With a single run: its value. Any thread. */
void fit_growth(const struct fit_data *data, const struct growth_limits *limits,
                struct formula *out);

#endif
