/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Longest common subsequence of two sequences over eight letters. Each cell of the table reads
 * three other cells. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv), wide = n + 1;
    size_t all = (size_t)wide * (size_t)wide;
    double *a = array((size_t)n, 1), *b = array((size_t)n, 5), *best = array(all, 0);

    for (int i = 0; i <= n; i++)
        best[i] = best[i * wide] = 0;
    for (int i = 0; i < n; i++) {
        a[i] = (int)(a[i] * 8);
        b[i] = (int)(b[i] * 8);
    }
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            double along = best[i * wide + j - 1], down = best[(i - 1) * wide + j],
                   both = best[(i - 1) * wide + j - 1] + (a[i - 1] == b[j - 1] ? 1 : 0);
            along = along > down ? along : down;
            best[i * wide + j] = along > both ? along : both;
        }
    free(a);
    free(b);
    finish(best, all);
}
