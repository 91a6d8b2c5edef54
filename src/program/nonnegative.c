/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program/solve.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* smallest share of the values' length that a column must explain */
#define USEFUL 1e-7
#define ROUNDS 4   /* maximum number of iterations in all, as a multiple of SOLVE_COLUMNS */

struct active_set {
    const double *const *columns;
    const double *values, *weights;
    size_t rows, count;
    double *lengths, *left;  /* length of each weighted column, and weighted residual of each row */
    bool *barred;            /* per column: whether it cannot get a positive coefficient */
    long double *work;
};

static double weight_of(const struct active_set *a, size_t row)
{
    return a->weights ? a->weights[row] : 1;
}

/* Returns the column that correlates most with the residual, and is neither chosen nor barred;
 * SIZE_MAX: none. */
static size_t most_useful(const struct active_set *a, const size_t *chosen, size_t n, double length)
{
    size_t best = SIZE_MAX;
    double most = USEFUL * length;

    for (size_t k = 0; k < a->count; k++) {
        bool taken = a->barred[k] || !(a->lengths[k] > 0);
        for (size_t i = 0; i < n; i++)
            taken |= chosen[i] == k;
        if (taken)
            continue;
        double toward = 0;
        for (size_t r = 0; r < a->rows; r++)
            toward += weight_of(a, r) * a->columns[k][r] * a->left[r];
        if (toward / a->lengths[k] > most) {
            most = toward / a->lengths[k];
            best = k;
        }
    }
    return best;
}

static bool solve_chosen(const struct active_set *a, const size_t *chosen, size_t n,
                         struct solution *out)
{
    const double *columns[SOLVE_COLUMNS];

    for (size_t i = 0; i < n; i++)
        columns[i] = a->columns[chosen[i]];
    return solve(columns, n, a->values, a->weights, a->rows, a->work, out);
}

/* Moves the coefficients @c towards @goal, the least-squares solution, until one becomes 0. Removes
 * columns with coefficient 0. Returns the number of remaining columns. @chosen: columns of @c. */
static size_t step_toward(size_t *chosen, size_t n, long double *c, const long double *goal)
{
    long double share = 1;
    size_t kept = 0, first = SIZE_MAX;

    for (size_t i = 0; i < n; i++)
        if (goal[i] <= 0 && (first == SIZE_MAX || c[i] / (c[i] - goal[i]) < share)) {
            share = c[i] > 0 ? c[i] / (c[i] - goal[i]) : 0;
            first = i;
        }
    for (size_t i = 0; i < n; i++) {
        long double next = c[i] + share * (goal[i] - c[i]);
        if (i == first || next <= 0)
            continue;
        chosen[kept] = chosen[i];
        c[kept++] = next;
    }
    return kept;
}

size_t nonnegative(const double *const *columns, size_t count, const double *values,
                   const double *weights, size_t rows, long double *work,
                   size_t chosen[SOLVE_COLUMNS], struct solution *out)
{
    struct active_set a = {columns,
                           values,
                           weights,
                           rows,
                           count,
                           mem_zero(count + 1, sizeof(double)),
                           mem_zero(rows + 1, sizeof(double)),
                           mem_zero(count + 1, sizeof(bool)),
                           work};
    long double c[SOLVE_COLUMNS] = {0};
    double length = 0;
    size_t n = 0;

    *out = (struct solution){.left_out = NAN};
    for (size_t k = 0; k < count; k++) {
        for (size_t r = 0; r < rows; r++)
            a.lengths[k] += pow(weight_of(&a, r) * columns[k][r], 2);
        a.lengths[k] = sqrt(a.lengths[k]);
    }
    for (size_t r = 0; r < rows; r++)
        length += pow(weight_of(&a, r) * values[r], 2);
    length = sqrt(length);
    for (size_t round = 0; round < ROUNDS * SOLVE_COLUMNS && n < SOLVE_COLUMNS && n + 1 < rows;
         round++) {
        for (size_t r = 0; r < rows; r++) {
            long double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += c[i] * (long double)columns[chosen[i]][r];
            a.left[r] = weight_of(&a, r) * (double)((long double)values[r] - sum);
        }
        size_t next = most_useful(&a, chosen, n, length);
        if (next == SIZE_MAX)
            break;
        struct solution s;
        chosen[n] = next;
        c[n] = 0;
        if (!solve_chosen(&a, chosen, n + 1, &s) || s.coefficients[n] <= 0) {
            a.barred[next] = true;
            continue;
        }
        n++;
        for (bool inside = false; n > 0 && !inside;) {
            inside = true;
            for (size_t i = 0; i < n; i++)
                inside &= s.coefficients[i] > 0;
            if (inside)
                memcpy(c, s.coefficients, n * sizeof *c);
            else if ((n = step_toward(chosen, n, c, s.coefficients)) > 0 &&
                     !solve_chosen(&a, chosen, n, &s))
                inside = true;
        }
    }
    if (n > 0 && !solve_chosen(&a, chosen, n, out))
        n = 0;
    for (size_t i = 0; i < n; i++)   /* Sets negative coefficients to 0. There are some only if the
                                      * iterations reached their limit. */
        out->coefficients[i] = out->coefficients[i] > 0 ? out->coefficients[i] : 0;
    free(a.lengths);
    free(a.left);
    free(a.barred);
    return n;
}
