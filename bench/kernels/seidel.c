/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nine-point Gauss-Seidel relaxation, ten sweeps */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *a = array(all, 1);

    for (int t = 0; t < 10; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i * n + j] =
                    (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j] + a[(i - 1) * n + j + 1] +
                     a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j - 1] +
                     a[(i + 1) * n + j] + a[(i + 1) * n + j + 1]) /
                    9;
    finish(a, all);
}
