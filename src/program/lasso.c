/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/solve.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define ROUNDS 2000

static double weight_of(const double *weights, size_t row)
{
    return weights ? weights[row] : 1;
}

/* Weighted inner product of column and residual, per row. */
static double inner(const double *column, const double *rest, const double *weights, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += column[i] * weight_of(weights, i) * rest[i];
    return sum / (double)rows;
}

static double shrink(double value, double by)
{
    return value > by ? value - by : value < -by ? value + by : 0;
}

void lasso(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, double lambda, double *coefficients)
{
    double *rest = mem_zero(rows + 1, sizeof *rest), *length = mem_zero(count + 1, sizeof *length),
           most = 0, moved = 1;

    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < rows; i++) {
            double x = columns[k][i] * weight_of(weights, i);
            length[k] += x * x / (double)rows;
        }
        length[k] = sqrt(length[k]);
    }
    for (size_t i = 0; i < rows; i++)
        rest[i] = values[i] * weight_of(weights, i);
    for (size_t k = 0; k < count; k++)
        if (length[k] > 0) {
            double pull = fabs(inner(columns[k], rest, weights, rows)) / length[k];
            most = pull > most ? pull : most;
        }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < rows && coefficients[k] != 0; i++)
            rest[i] -= coefficients[k] * columns[k][i] * weight_of(weights, i);
    for (int round = 0; round < ROUNDS && moved > 1e-7; round++) {
        moved = 0;
        for (size_t k = 0; k < count; k++) {
            if (!(length[k] > 0))
                continue;
            double scaled = coefficients[k] * length[k];
            double next = shrink(scaled + inner(columns[k], rest, weights, rows) / length[k],
                                 lambda * most),
                   change = (next - scaled) / length[k];
            if (change == 0)
                continue;
            coefficients[k] += change;
            moved = fmax(moved, fabs(next - scaled) / (most > 0 ? most : 1));
            for (size_t i = 0; i < rows; i++)
                rest[i] -= change * columns[k][i] * weight_of(weights, i);
        }
    }
    free(rest);
    free(length);
}
