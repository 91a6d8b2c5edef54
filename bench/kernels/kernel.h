/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions shared by the kernels. Each kernel is a program that reads N, fills its arrays, runs
 * once and prints a sum. The kernels were written for this project after well-known algorithms of
 * linear algebra, stencils and dynamic programming. Their measured times are compared with
 * predictions. */
#include <stdio.h>
#include <stdlib.h>

/* Returns @count numbers between 0 and 1 with a long period. Exits if memory is exhausted. */
static double *array(size_t count, size_t seed)
{
    double *a = malloc(count * sizeof *a);

    if (!a)
        exit(3);
    for (size_t i = 0; i < count; i++)
        a[i] = (double)((i * 37 + seed) % 1009) / 1009;
    return a;
}

/* Prints the sum of the array and frees it. */
static void finish(double *a, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i];
    printf("%.9g\n", sum);
    free(a);
}

static int size_of(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;

    if (n < 2)
        exit(2);
    return n;
}
