/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/solve.h"

#include <math.h>

static long double dot(const long double *a, const long double *b, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

bool solve(const double *const *columns, size_t count, const double *values, const double *weights,
           size_t rows, long double *work, struct solution *out)
{
    long double upper[SOLVE_COLUMNS][SOLVE_COLUMNS], right[SOLVE_COLUMNS],
        *rest = work + count * rows;

    if (count > rows || count > SOLVE_COLUMNS)
        return false;
    for (size_t i = 0; i < rows; i++)
        rest[i] = (long double)values[i] * (weights ? weights[i] : 1);
    /* Modified Gram-Schmidt, applied twice. The orthonormal columns are stored in @work. */
    for (size_t k = 0; k < count; k++) {
        long double *q = work + k * rows;
        for (size_t i = 0; i < rows; i++)
            q[i] = (long double)columns[k][i] * (weights ? weights[i] : 1);
        long double before = sqrtl(dot(q, q, rows));
        for (size_t j = 0; j < k; j++)
            upper[j][k] = 0;
        for (int round = 0; round < 2; round++)
            for (size_t j = 0; j < k; j++) {
                long double part = dot(work + j * rows, q, rows);
                upper[j][k] += part;
                for (size_t i = 0; i < rows; i++)
                    q[i] -= part * work[j * rows + i];
            }
        long double norm = sqrtl(dot(q, q, rows));
        if (!(norm > before * 1e-12L))
            return false;
        upper[k][k] = norm;
        for (size_t i = 0; i < rows; i++)
            q[i] /= norm;
        right[k] = dot(q, rest, rows);
        for (size_t i = 0; i < rows; i++)
            rest[i] -= right[k] * q[i];
    }
    for (size_t k = count; k-- > 0;) {
        long double sum = right[k];
        for (size_t j = k + 1; j < count; j++)
            sum -= upper[k][j] * out->coefficients[j];
        out->coefficients[k] = sum / upper[k][k];
    }
    out->worst = 0;
    out->left_out = rows > count ? 0 : NAN;
    for (size_t i = 0; i < rows; i++) {
        long double leverage = 0;
        for (size_t k = 0; k < count; k++)
            leverage += work[k * rows + i] * work[k * rows + i];
        double size = (double)fabsl(rest[i]);
        out->worst = size > out->worst ? size : out->worst;
        /* If a row alone determines a coefficient, other rows cannot predict it. */
        if (rows > count)
            out->left_out += leverage < 1 - 1e-9L ? size / (double)(1 - leverage) / (double)rows
                                                  : 1 / (double)rows;
    }
    return true;
}
