/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forward substitution */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *l = array(rows * rows, 1), *b = array(rows, 2), *x = array(rows, 3);

    for (int i = 0; i < n; i++)
        l[i * n + i] = n;
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i * n + j] * x[j];
        x[i] /= l[i * n + i];
    }
    free(l);
    free(b);
    finish(x, rows);
}
