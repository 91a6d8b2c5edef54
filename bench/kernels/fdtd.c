/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finite differences in time of fields in a plane, twenty steps */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *ex = array(all, 1), *ey = array(all, 2), *hz = array(all, 3);

    for (int t = 0; t < 20; t++) {
        for (int j = 0; j < n; j++)
            ey[j] = t;
        for (int i = 1; i < n; i++)
            for (int j = 0; j < n; j++)
                ey[i * n + j] -= 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                ex[i * n + j] -= 0.5 * (hz[i * n + j] - hz[i * n + j - 1]);
        for (int i = 0; i < n - 1; i++)
            for (int j = 0; j < n - 1; j++)
                hz[i * n + j] -=
                    0.7 * (ex[i * n + j + 1] - ex[i * n + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
    }
    free(ex);
    free(ey);
    finish(hz, all);
}
