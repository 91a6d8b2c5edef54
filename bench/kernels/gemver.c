/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank-one updates, and products with the matrix and its transpose */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *a = array(rows * rows, 1), *u = array(rows, 2), *v = array(rows, 3),
           *s = array(rows, 4), *t = array(rows, 5), *x = array(rows, 6), *y = array(rows, 7),
           *w = array(rows, 0);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] += u[i] * v[j] + s[i] * t[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += 1.2 * a[j * n + i] * y[j];
    for (int i = 0; i < n; i++)
        w[i] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] += 1.5 * a[i * n + j] * x[j];
    free(a);
    free(u);
    free(v);
    free(s);
    free(t);
    free(x);
    free(y);
    finish(w, rows);
}
