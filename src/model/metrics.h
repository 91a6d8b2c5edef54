/* Metrics that compare predictions with measurements: the metrics of PMEvo's evaluation, with
 * scipy's definitions. */
#ifndef PORTOLAN_MODEL_METRICS_H
#define PORTOLAN_MODEL_METRICS_H

#include "model/experiments.h"

/* Arrays have n values without NaN, except in metrics_accuracy. Any thread. */

/* Returns the mean of |predicted - measured| / measured, a fraction. NaN for n = 0. */
double metrics_mape(const double *predicted, const double *measured, size_t n);
/* Returns Pearson's correlation. NaN for fewer than two pairs, or if one side is constant. */
double metrics_pearson(const double *x, const double *y, size_t n);
/* Returns Pearson's correlation of the ranks. Ties have the mean rank. NaN as for metrics_pearson,
 * or if memory runs out. */
double metrics_spearman(const double *x, const double *y, size_t n);
/* Stores the ranks, from 1, in @ranks. Ties have the mean rank. If memory runs out, all ranks are
 * NaN. */
void metrics_ranks(const double *x, size_t n, double *ranks);

#define METRICS_CELLS 35

/* Figure 7 of PMEvo: number of experiments by predicted and measured cycles. Cells have equal
 * width from 0 to @limit. The last cell includes larger values. */
struct heat_map {
    double limit;    /* cycles at the end of both axes */
    /* number of experiments, by [predicted][measured] */
    uint32_t cell[METRICS_CELLS][METRICS_CELLS];
    uint32_t highest;    /* largest number in a cell */
};
/* Fills @out. If @limit is 0, uses the largest measured value, rounded up to an integer, at least
 * 1. */
void metrics_heat_map(const double *predicted, const double *measured, size_t n, double limit,
                      struct heat_map *out);

struct accuracy {
    size_t n;              /* number of experiments evaluated */
    /* number of measured experiments that were omitted because the mapping lacks a form */
    size_t unknown;
    /* results of metrics_mape, metrics_pearson and metrics_spearman for these experiments; NaN also
     * if memory runs out */
    double mape, pearson, spearman;
};

/* Compares one prediction per row (NaN: none) with the measured cycles. Ignores rows without a
 * measurement, and only counts measured rows without a prediction. */
struct accuracy metrics_accuracy(const struct experiments *t, const double *predicted);

#endif
