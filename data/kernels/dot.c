// A dot product and a program that calls it, for docs/getting-started.md.
#include <stdio.h>

#define LENGTH 1000

static double a[LENGTH], b[LENGTH + 8];

__attribute__((noinline)) double dot(const double *x, const double *y, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

int main(void) {
    double total = 0;
    for (long i = 0; i < LENGTH; i++) a[i] = b[i] = (double)(i % 10);
    for (long round = 0; round < 1000000; round++) total += dot(a, b + round % 8, LENGTH);
    printf("%g\n", total);
}
