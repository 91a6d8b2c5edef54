/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = A^T (A x) */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *a = array(rows * rows, 1), *x = array(rows, 2), *y = calloc(rows, sizeof *y);

    if (!y)
        return 3;
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int j = 0; j < n; j++)
            t += a[i * n + j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += a[i * n + j] * t;
    }
    free(a);
    free(x);
    finish(y, rows);
}
