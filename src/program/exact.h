/* Coefficients that give whole numbers: what least squares found, made fractions of one small
 * denominator and checked to the last digit. */
#ifndef PORTOLAN_PROGRAM_EXACT_H
#define PORTOLAN_PROGRAM_EXACT_H

#include "program/solve.h"

/* Whether the solution of @count @columns is such a formula of all @rows @values; writes its
 * @coefficients. @whole: they must be whole themselves. Any thread. */
bool exact_coefficients(const double *const *columns, size_t count, const double *values,
                        size_t rows, const struct solution *solution, bool whole,
                        double *coefficients);

#endif
