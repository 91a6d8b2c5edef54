/* How well predicted cycles match measured ones: the figures of PMEvo's evaluation, by scipy's
 * definitions. */
#ifndef PORTOLAN_MODEL_METRICS_H
#define PORTOLAN_MODEL_METRICS_H

#include "model/experiments.h"

/* All take n pairs without NaN. Any thread. */
/* Mean of |predicted - measured| / measured, a fraction; NaN for n = 0. */
double metrics_mape(const double *predicted, const double *measured, size_t n);
/* Pearson's correlation; NaN below two pairs or when a side is constant. */
double metrics_pearson(const double *x, const double *y, size_t n);
/* Pearson's of the ranks, ties averaged. */
double metrics_spearman(const double *x, const double *y, size_t n);
/* Ranks from 1, ties averaged, into @ranks. */
void metrics_ranks(const double *x, size_t n, double *ranks);

#define METRICS_CELLS 35

/* Figure 7 of PMEvo: counts of experiments per cell, predicted up, measured across, cells of equal
 * width from 0 to @limit; the last cell includes larger values. */
struct heat_map {
    double limit;    /* cycles at the far end of both axes */
    uint32_t cell[METRICS_CELLS][METRICS_CELLS];   /* [predicted][measured] */
    uint32_t highest;
};
/* @limit 0: the largest measured value, rounded up to a whole number. */
void metrics_heat_map(const double *predicted, const double *measured, size_t n, double limit,
                      struct heat_map *out);

struct accuracy {
    size_t n;              /* experiments that count */
    size_t unknown;        /* measured ones left out because the mapping lacks one of their forms */
    double mape, pearson, spearman;
};

/* Compares one prediction per row (NaN: none) with the measured cycles; rows without these do not
 * count. */
struct accuracy metrics_accuracy(const struct experiments *t, const double *predicted);

#endif
