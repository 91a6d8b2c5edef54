/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Correlations between the columns of a table */
#include "kernel.h"

#include <math.h>

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *data = array(rows * rows, 1), *mean = array(rows, 0), *width = array(rows, 0),
           *c = array(rows * rows, 0);

    for (int j = 0; j < n; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * n + j];
        mean[j] /= n;
        width[j] = 0;
        for (int i = 0; i < n; i++)
            width[j] += (data[i * n + j] - mean[j]) * (data[i * n + j] - mean[j]);
        width[j] = sqrt(width[j] / n);
        width[j] = width[j] <= 0.01 ? 1 : width[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrt(n) * width[j]);
    for (int i = 0; i < n - 1; i++) {
        c[i * n + i] = 1;
        for (int j = i + 1; j < n; j++) {
            c[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                c[i * n + j] += data[k * n + i] * data[k * n + j];
            c[j * n + i] = c[i * n + j];
        }
    }
    free(data);
    free(mean);
    free(width);
    finish(c, rows * rows);
}
