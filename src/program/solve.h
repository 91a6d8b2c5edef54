/* Least squares on a few columns, by orthogonalisation in extended precision. */
#ifndef PORTOLAN_PROGRAM_SOLVE_H
#define PORTOLAN_PROGRAM_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

#define SOLVE_COLUMNS 16

struct solution {
    long double coefficients[SOLVE_COLUMNS];
    double worst;          /* largest residual, absolute, of the weighted values */
    /* mean of |residual| when each row in turn is left out, of the weighted values; NaN: no row to
     * spare */
    double left_out;
};

/* Minimises sum over @rows of (weight * (value - sum of coefficients * column))^2. @columns[k] has
 * @rows entries, @weights may be NULL (all 1). False where columns depend on each other. @work:
 * (count + 1) * rows long doubles. Any thread. */
bool solve(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, long double *work, struct solution *out);

/* lasso.c: L1-penalised least squares (Tibshirani's lasso), by coordinate descent: which of many
 * columns matter. */

/* Minimises sum (weight * (value - sum of c * column))^2 / (2 rows) + lambda * sum |c| * |column|,
 * for columns scaled to weighted length sqrt(rows), over
 * @rows rows; fills @coefficients (count, of the columns as given; start values on entry). @weights
 * may be NULL. @lambda is relative to the least that makes
 * all coefficients 0. Any thread. */
void lasso(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, double lambda, double *coefficients);

/* nonnegative.c: least squares with non-negative coefficients (Lawson and Hanson, Solving Least
 * Squares Problems, 1974, chapter 23), for sums of parts, such as the lines of several arrays. */

/* Minimises sum over @rows of (weight * (value - sum of c * column))^2 over c >= 0, with at most
 * SOLVE_COLUMNS of the @count @columns, the most useful first. @weights may be NULL (all 1).
 * @chosen gets the columns whose coefficient is above 0, @out those coefficients, in that order,
 * and what leaving out each row says of these columns. Returns how many. @work: (SOLVE_COLUMNS + 1)
 * * rows long doubles. Any thread. */
size_t nonnegative(const double *const *columns, size_t count, const double *values,
                   const double *weights, size_t rows, long double *work,
                   size_t chosen[SOLVE_COLUMNS], struct solution *out);

/* exact.c: coefficients that give whole numbers: those of least squares, made fractions of one
 * small denominator and checked to the last digit. */

/* Whether the solution of @count @columns is such a formula of all @rows @values; writes its
 * @coefficients. @whole: they must be whole themselves. Any thread. */
bool exact_coefficients(const double *const *columns, size_t count, const double *values,
                        size_t rows, const struct solution *solution, bool whole,
                        double *coefficients);

#endif
