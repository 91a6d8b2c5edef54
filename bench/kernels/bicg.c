/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes s = A^T r and q = A p in one sweep. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t rows = (size_t)n;
    double *a = array(rows * rows, 1), *p = array(rows, 2), *r = array(rows, 3),
           *q = array(rows, 0), *s = array(rows, 0);

    for (int i = 0; i < n; i++)
        s[i] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * a[i * n + j];
            q[i] += a[i * n + j] * p[j];
        }
    }
    free(a);
    free(p);
    free(r);
    finish(q, rows);
    finish(s, rows);
}
