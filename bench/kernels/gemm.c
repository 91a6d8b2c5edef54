/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes C = beta C + alpha A B, row by row. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *a = array(all, 1), *b = array(all, 2), *c = array(all, 3);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i * n + j] *= 1.2;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += 1.5 * a[i * n + k] * b[k * n + j];
    }
    free(a);
    free(b);
    finish(c, all);
}
