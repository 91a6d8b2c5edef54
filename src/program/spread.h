/* Range of a predicted time, from uncertain counts and from the errors of the core and memory
 * models. Also finds the additional run that would narrow the range most. */
#ifndef PORTOLAN_PROGRAM_SPREAD_H
#define PORTOLAN_PROGRAM_SPREAD_H

#include "program/model.h"
#include "program/steady.h"

/* ratio of the largest to the smallest time above which the runs do not determine the time */
#define SPREAD_KNOWN 2.0

struct time_spread {
    /* smallest and largest time divided by the predicted one, from counts and models; @most is
     * infinite if there is no upper limit */
    double least, most;
    /* smallest and largest time divided by the predicted one, from uncertain counts alone: from
     * formulas that explain the runs about equally well */
    double counts_least, counts_most;
    /* largest additional time for mispredictions of branches on data, divided by the predicted
     * time */
    double branches;
    double inexact;            /* share of the time in blocks with inexact counts */
    /* index of a part with a loop whose iterations are not counted; UINT32_MAX: none */
    uint32_t uncounted;
    uint32_t block;            /* block with the most uncertain count; UINT32_MAX: none */
    /* index of the input that an additional run should set to @value to narrow the range most; -1:
     * none */
    int input;
    double value;
};

/* Computes the range of @t, the time of @m at @inputs. @branch_miss: cycles per misprediction on
 * the machine. Pure except for the cache of derived.h. */
void spread_of(const struct program_model *m, const double *inputs, const struct program_time *t,
               double branch_miss, struct time_spread *out);

#endif
