/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes C = beta C + alpha A A^T, lower triangle. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *a = array(all, 1), *c = array(all, 2);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            c[i * n + j] *= 1.2;
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= i; j++)
                c[i * n + j] += 1.5 * a[i * n + k] * a[j * n + k];
    }
    free(a);
    finish(c, all);
}
