/* Least squares with a few columns, by orthogonalisation in extended precision, and related
 * methods */
#ifndef PORTOLAN_PROGRAM_SOLVE_H
#define PORTOLAN_PROGRAM_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

#define SOLVE_COLUMNS 16

struct solution {
    long double coefficients[SOLVE_COLUMNS];
    double worst;          /* largest absolute weighted residual */
    /* mean absolute weighted error of each value predicted from the other rows; NaN: there are no
     * more rows than columns */
    double left_out;
};

/* Minimises the sum over @rows of (weight * (value - sum of coefficients * column))^2. @columns[k]
 * has @rows entries. @weights may be NULL (all 1). Returns false if the columns are linearly
 * dependent or too many. @work has (count + 1) * rows long doubles. */
bool solve(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, long double *work, struct solution *out);


/* Minimises the sum over @rows of (weight * (value - sum of c * column))^2 over c >= 0. Uses at
 * most SOLVE_COLUMNS of the @count @columns, beginning with the most useful column. @weights may be
 * NULL (all 1). Stores the indices of the columns with positive coefficients in @chosen, and their
 * coefficients and the error at left-out rows in @out. Returns their number. @work has
 * (SOLVE_COLUMNS + 1) * rows long doubles. */
size_t nonnegative(const double *const *columns, size_t count, const double *values,
                   const double *weights, size_t rows, long double *work,
                   size_t chosen[SOLVE_COLUMNS], struct solution *out);


/* Rounds the coefficients of least squares to fractions with one small denominator. Returns whether
 * these give all @rows @values exactly. If so, stores them in @coefficients. If @whole is true,
 * tries only integers. */
bool exact_coefficients(const double *const *columns, size_t count, const double *values,
                        size_t rows, const struct solution *solution, bool whole,
                        double *coefficients);

#endif
