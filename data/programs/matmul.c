/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C = A B for square matrices of doubles: matmul N */
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    if (n < 1)
        return 2;
    size_t size = (size_t)n * (size_t)n;
    double *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b),
           *c = malloc(size * sizeof *c), trace = 0;
    if (!a || !b || !c)
        return 3;

    for (size_t i = 0; i < size; i++) {
        a[i] = (double)i / (double)size;
        b[i] = 1 - a[i];
    }
    multiply(n, a, b, c);
    for (int i = 0; i < n; i++)
        trace += c[i * n + i];
    printf("trace %.6f\n", trace);
    free(a);
    free(b);
    free(c);
    return 0;
}
