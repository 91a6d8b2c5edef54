/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levinson-Durbin recursion */
#include "kernel.h"

#include <string.h>

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *r = array(rows, 1), *y = array(rows, 0), *z = array(rows, 0);

    for (int i = 0; i < n; i++)
        r[i] = r[i] / (4 * n);
    y[0] = -r[0];
    double beta = 1, alpha = -r[0];
    for (int k = 1; k < n; k++) {
        double sum = 0;
        beta = (1 - alpha * alpha) * beta;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        memcpy(y, z, (size_t)k * sizeof *y);
        y[k] = alpha;
    }
    free(r);
    free(z);
    finish(y, rows);
}
