/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laplace's equation on an N by N grid by the five-point stencil, twenty steps between two grids:
 * laplace2d N */
#include <stdio.h>
#include <stdlib.h>

#define STEPS 20

static void step(int n, const double *u, double *v)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] +
                                   u[i * n + j + 1]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    if (n < 3)
        return 2;
    size_t size = (size_t)n * (size_t)n;
    double *u = calloc(size, sizeof *u), *v = calloc(size, sizeof *v);
    if (!u || !v)
        return 3;

    for (int j = 0; j < n; j++)
        u[j] = v[j] = 1;
    for (int k = 0; k < STEPS; k++) {
        double *before = u;
        step(n, u, v);
        u = v;
        v = before;
    }
    printf("u[1][n/2] %.6f\n", u[n + n / 2]);
    free(u);
    free(v);
    return 0;
}
