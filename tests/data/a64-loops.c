/* Source of the loops in a64-*.s, compiled for AArch64 with -O3 -ffast-math by gcc 12 and clang 14.
 * a64-gcc-sve.s is compiled with -march=armv8.2-a+sve. */
void triad(double *restrict a, const double *restrict b, const double *restrict c,
           const double *restrict d, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + c[i] * d[i];
}
double dot(const double *a, const double *b, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
void daxpy(double *restrict y, const double *restrict x, double a, long n)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}
void stencil(double *restrict o, const double *restrict in, long n)
{
    for (long i = 1; i < n - 1; i++)
        o[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
}
void prefix(double *a, long n) { for (long i = 1; i < n; i++) a[i] += a[i - 1]; }
void scale(float *restrict a, const int *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = (float)b[i] * 0.5f;
}
long hash(const unsigned char *text, long n)
{
    unsigned long h = 14695981039346656037ul;
    for (long i = 0; i < n; i++)
        h = (h ^ text[i]) * 1099511628211ul;
    return (long)h;
}
long count(const char *text, long n, char c)
{
    long found = 0;
    for (long i = 0; i < n; i++)
        found += text[i] == c;
    return found;
}
