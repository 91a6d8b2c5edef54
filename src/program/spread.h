/* The range of a predicted time: uncertain counts, errors of the core and memory models, and the
 * further run that would narrow it most. */
#ifndef PORTOLAN_PROGRAM_SPREAD_H
#define PORTOLAN_PROGRAM_SPREAD_H

#include "program/model.h"
#include "program/steady.h"

#define SPREAD_KNOWN 2.0   /* most / least: beyond that the time is not known from the runs */

struct time_spread {
    /* factors of the time: by counts and model; most is infinite where nothing is known */
    double least, most;
    /* of these by counts alone: the formulas of each that explain the runs about as well */
    double counts_least, counts_most;
    /* share of the time that mispredicted branches on data may take at most besides */
    double branches;
    double inexact;            /* share of the time whose counts are not exact */
    /* with a loop whose iterations nothing counts; UINT32_MAX: none */
    uint32_t uncounted;
    uint32_t block;            /* whose count leaves the most open; UINT32_MAX: none */
    int input;                 /* which to run at @value to narrow the range most; -1: none would */
    double value;
};

/* Of @t, the time of @m at @inputs, on a machine that takes @branch_miss cycles for a mispredicted
 * branch. Pure except for the cache of derived.h. */
void spread_of(const struct program_model *m, const double *inputs, const struct program_time *t,
               double branch_miss, struct time_spread *out);

#endif
