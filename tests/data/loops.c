#include <stddef.h>
void triad(double *restrict a, const double *b, const double *c, const double *d, size_t n)
{ for (size_t i = 0; i < n; i++) a[i] = b[i] + c[i] * d[i]; }
void product(double *restrict c, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double t = a[i * n + k];
            for (int j = 0; j < n; j++)
                c[i * n + j] += t * b[k * n + j];
        }
}
int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
int apply(int (*f)(int), int n) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
