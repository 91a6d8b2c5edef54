/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jacobi's iteration as in jacobi.c, all loops over rows split among threads where the compiler has
 * OpenMP: jacobi_openmp N */
#include <stdio.h>
#include <stdlib.h>

#define SWEEPS 10

static void sweep(int n, const double *a, const double *b, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < n; j++)
            sum -= a[i * n + j] * x[j];
        y[i] = x[i] + sum / a[i * n + i];
    }
}

static void fill(int n, double *a, double *b)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * n + j] = i == j ? 2.0 * n : 1.0 / (1 + i + j);
        b[i] = i + 1;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    if (n < 1)
        return 2;
    size_t size = (size_t)n * (size_t)n;
    double *a = malloc(size * sizeof *a), *b = malloc((size_t)n * sizeof *b),
           *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    if (!a || !b || !x || !y)
        return 3;

    fill(n, a, b);
    for (int k = 0; k < SWEEPS; k++) {
        double *before = x;
        sweep(n, a, b, x, y);
        x = y;
        y = before;
    }
    printf("x[0] %.6f\n", x[0]);
    free(a);
    free(b);
    free(x);
    free(y);
    return 0;
}
