/* Least squares on a few columns, by orthogonalisation in extended precision. */
#ifndef PORTOLAN_PROGRAM_SOLVE_H
#define PORTOLAN_PROGRAM_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

#define SOLVE_COLUMNS 16

struct solution {
    long double coefficients[SOLVE_COLUMNS];
    double worst;          /* largest absolute residual of the weighted values */
    /* mean |residual| with each row left out in turn, of the weighted values; NaN: no spare row */
    double left_out;
};

/* Minimises sum over @rows of (weight * (value - sum of coefficients * column))^2. @columns[k] has
 * @rows entries, @weights may be NULL (all 1). False where columns are dependent. @work: (count +
 * 1) * rows long doubles. */
bool solve(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, long double *work, struct solution *out);

/* nonnegative.c: least squares with non-negative coefficients (Lawson and Hanson, Solving Least
 * Squares Problems, 1974, chapter 23), for sums of parts, such as the lines of several arrays. */

/* Minimises sum over @rows of (weight * (value - sum of c * column))^2 over c >= 0, with at most
 * SOLVE_COLUMNS of the @count @columns, the most useful first. @weights may be NULL (all 1).
 * @chosen gets the columns with positive coefficients; @out gets these coefficients and the
 * left-out error. Returns their number. @work: (SOLVE_COLUMNS + 1) * rows long doubles. */
size_t nonnegative(const double *const *columns, size_t count, const double *values,
                   const double *weights, size_t rows, long double *work,
                   size_t chosen[SOLVE_COLUMNS], struct solution *out);

/* exact.c: exact coefficients: rounds those of least squares to fractions of one small denominator
 * and verifies every value. */

/* Returns whether @count @columns have such coefficients for all @rows @values; writes
 * @coefficients. @whole: only integers. */
bool exact_coefficients(const double *const *columns, size_t count, const double *values,
                        size_t rows, const struct solution *solution, bool whole,
                        double *coefficients);

#endif
