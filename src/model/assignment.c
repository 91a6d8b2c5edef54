/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/assignment.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* Rows are added one at a time along a shortest augmenting path; u and v are the dual prices. Index 0 is a virtual column. */
double assignment_solve(size_t n, const double *cost, size_t *to)
{
    double *u = mem_zero(3 * (n + 1), sizeof *u), *v = u + n + 1, *slack = v + n + 1;
    size_t *row_of = mem_zero(2 * (n + 1), sizeof *row_of), *way = row_of + n + 1;
    bool *used = mem_alloc((n + 1) * sizeof *used);
    double total = 0;

    for (size_t row = 1; row <= n; row++) {
        size_t column = 0;
        row_of[0] = row;
        for (size_t j = 0; j <= n; j++) {
            slack[j] = DBL_MAX;
            used[j] = false;
        }
        do {
            size_t from = row_of[column], next = 0;
            double least = DBL_MAX;
            used[column] = true;
            for (size_t j = 1; j <= n; j++) {
                if (used[j])
                    continue;
                double reduced = cost[(from - 1) * n + j - 1] - u[from] - v[j];
                if (reduced < slack[j]) {
                    slack[j] = reduced;
                    way[j] = column;
                }
                if (slack[j] < least) {
                    least = slack[j];
                    next = j;
                }
            }
            for (size_t j = 0; j <= n; j++) {
                if (used[j]) {
                    u[row_of[j]] += least;
                    v[j] -= least;
                } else {
                    slack[j] -= least;
                }
            }
            column = next;
        } while (row_of[column]);
        for (; column; column = way[column])
            row_of[column] = row_of[way[column]];
    }
    for (size_t j = 1; j <= n; j++) {
        to[row_of[j] - 1] = j - 1;
        total += cost[(row_of[j] - 1) * n + j - 1];
    }
    free(u);
    free(row_of);
    free(used);
    return total;
}
