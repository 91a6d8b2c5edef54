/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes D = (alpha A B) C + beta D, both products by columns. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *a = array(all, 1), *b = array(all, 2), *c = array(all, 3), *d = array(all, 4),
           *t = array(all, 0);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            t[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                t[i * n + j] += 1.5 * a[i * n + k] * b[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            d[i * n + j] *= 1.2;
            for (int k = 0; k < n; k++)
                d[i * n + j] += t[i * n + k] * c[k * n + j];
        }
    free(a);
    free(b);
    free(c);
    free(t);
    finish(d, all);
}
