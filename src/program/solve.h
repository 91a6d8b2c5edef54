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

#endif
