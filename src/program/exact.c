/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/solve.h"

#include <math.h>

/* Largest distance of a sum from an integer at which the sum is rounded to that integer. Columns of
 * quotients such as N / M are not integers. */
#define ROUNDED 1e-6L
/* Largest magnitude of a value or of a column's entry. The sum of SOLVE_COLUMNS columns times
 * coefficients of 1e15 remains below 2^127. */
#define LARGEST 1e21

/* Returns whether the columns with the coefficients @whole / @denominator sum to @value in row
 * @row. */
static bool gives(const double *const *columns, size_t count, const __int128 *whole,
                  int denominator, double value, size_t row)
{
    __int128 sum = 0;
    long double broken = 0;

    for (size_t k = 0; k < count; k++) {
        double x = columns[k][row];
        if (!(fabs(x) < LARGEST))
            return false;
        if (x == rint(x))
            sum += whole[k] * (__int128)x;
        else
            broken += (long double)whole[k] * (long double)x;
    }
    if (!(fabs(value) < LARGEST))
        return false;
    if (broken == 0)
        return sum == (__int128)value * denominator;
    return fabsl((long double)sum + broken - (long double)value * denominator) <
           ROUNDED * denominator;
}

bool exact_coefficients(const double *const *columns, size_t count, const double *values,
                        size_t rows, const struct solution *solution, bool whole,
                        double *coefficients)
{
    static const int denominators[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128};

    for (size_t t = 0; t < (whole ? 1 : sizeof denominators / sizeof *denominators); t++) {
        int d = denominators[t];
        __int128 wholes[SOLVE_COLUMNS] = {0};
        bool ok = true;
        for (size_t k = 0; k < count && ok; k++) {
            long double scaled = solution->coefficients[k] * d;
            ok = fabsl(scaled) < 1e15L && fabsl(scaled - rintl(scaled)) < 1e-5L;
            wholes[k] = ok ? (__int128)llrintl(scaled) : 0;
        }
        for (size_t r = 0; r < rows && ok; r++)
            ok = gives(columns, count, wholes, d, values[r], r);
        if (!ok)
            continue;
        for (size_t k = 0; k < count; k++)
            coefficients[k] = (double)wholes[k] / d;
        return true;
    }
    return false;
}
