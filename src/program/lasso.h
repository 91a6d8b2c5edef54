/* L1-penalised least squares (Tibshirani's lasso), by coordinate descent: which of many columns
 * matter. */
#ifndef PORTOLAN_PROGRAM_LASSO_H
#define PORTOLAN_PROGRAM_LASSO_H

#include <stddef.h>

/* Minimises sum (weight * (value - sum of c * column))^2 / (2 rows) + lambda * sum |c| * |column|,
 * for columns scaled to weighted length sqrt(rows), over
 * @rows rows; fills @coefficients (count, of the columns as given; start values on entry). @weights
 * may be NULL. @lambda is relative to the least that makes
 * all coefficients 0. Any thread. */
void lasso(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, double lambda, double *coefficients);

#endif
