/* Least squares whose coefficients are not negative (Lawson and Hanson, Solving Least Squares
 * Problems, 1974, chapter 23): what is a sum of parts, such as the lines of several arrays. */
#ifndef PORTOLAN_PROGRAM_NONNEGATIVE_H
#define PORTOLAN_PROGRAM_NONNEGATIVE_H

#include <stddef.h>

#include "program/solve.h"

/* Minimises sum over @rows of (weight * (value - sum of c * column))^2 over c >= 0, with at most
 * SOLVE_COLUMNS of the @count @columns, the most useful first. @weights may be NULL (all 1).
 * @chosen gets the columns whose coefficient is above 0, @out those coefficients, in that order,
 * and what leaving out each row says of these columns. Returns how many. @work: (SOLVE_COLUMNS + 1)
 * * rows long doubles. Any thread. */
size_t nonnegative(const double *const *columns, size_t count, const double *values,
                   const double *weights, size_t rows, long double *work,
                   size_t chosen[SOLVE_COLUMNS], struct solution *out);

#endif
