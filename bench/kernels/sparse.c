/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes twenty products of a sparse matrix and a vector. A row has five entries at stored column
 * numbers, the neighbours in an N by N grid. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n * (size_t)n;
    double *entries = array(5 * rows, 1), *x = array(rows, 2), *y = array(rows, 3);
    size_t *columns = malloc(5 * rows * sizeof *columns);

    if (!columns)
        exit(3);
    for (size_t i = 0; i < rows; i++) {
        columns[5 * i] = i;
        columns[5 * i + 1] = (i + 1) % rows;
        columns[5 * i + 2] = (i + rows - 1) % rows;
        columns[5 * i + 3] = (i + (size_t)n) % rows;
        columns[5 * i + 4] = (i + rows - (size_t)n) % rows;
    }
    for (int t = 0; t < 20; t++) {
        double *swap = x;
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t k = 5 * i; k < 5 * i + 5; k++)
                sum += entries[k] * x[columns[k]];
            y[i] = sum / 3;
        }
        x = y;
        y = swap;
    }
    free(columns);
    free(entries);
    free(y);
    finish(x, rows);
}
