/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes A = L U in place, row by row. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *a = array(all, 1);

    for (int i = 0; i < n; i++)
        a[i * n + i] = 2 * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            a[i * n + j] /= a[j * n + j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
    finish(a, all);
}
