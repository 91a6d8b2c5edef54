/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes x += A y and z += A^T w, the second by columns. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *a = array(rows * rows, 1), *x = array(rows, 2), *y = array(rows, 3),
           *z = array(rows, 4), *w = array(rows, 5);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += a[i * n + j] * y[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            z[i] += a[j * n + i] * w[j];
    free(a);
    free(y);
    free(w);
    finish(x, rows);
    finish(z, rows);
}
