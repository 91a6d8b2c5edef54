/* Range of a predicted time: uncertain counts, errors of the core and memory models, and the
 * additional run that would narrow the range most. */
#ifndef PORTOLAN_PROGRAM_SPREAD_H
#define PORTOLAN_PROGRAM_SPREAD_H

#include "program/model.h"
#include "program/steady.h"

/* ratio of largest to least time above which the runs do not determine the time */
#define SPREAD_KNOWN 2.0

struct time_spread {
    /* factors of the time by counts and models; most is infinite without an upper limit */
    double least, most;
    /* factors of the time by counts only: formulas that explain the runs about equally well */
    double counts_least, counts_most;
    /* largest share of the time for additional mispredictions of branches on data */
    double branches;
    double inexact;            /* share of the time with inexact counts */
    /* part with a loop whose iterations are not counted; UINT32_MAX: none */
    uint32_t uncounted;
    uint32_t block;            /* block with the most uncertain count; UINT32_MAX: none */
    /* input to run at @value to narrow the range most; -1: no run would */
    int input;
    double value;
};

/* Computes the range of @t, the time of @m at @inputs. @branch_miss: cycles per misprediction on
 * the machine. Pure except for the cache of derived.h. */
void spread_of(const struct program_model *m, const double *inputs, const struct program_time *t,
               double branch_miss, struct time_spread *out);

#endif
