/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes sums over all rectangles from the corner, and from these the mean squares of 9 x 9
 * windows. */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv), wide = n + 1;
    size_t all = (size_t)n * (size_t)n;
    double *picture = array(all, 1), *sums = array((size_t)wide * (size_t)wide, 0);

    for (int i = 0; i <= n; i++)
        sums[i] = sums[i * wide] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sums[(i + 1) * wide + j + 1] = picture[i * n + j] + sums[i * wide + j + 1] +
                                           sums[(i + 1) * wide + j] - sums[i * wide + j];
    for (int i = 4; i < n - 4; i++)
        for (int j = 4; j < n - 4; j++)
            picture[i * n + j] = (sums[(i + 5) * wide + j + 5] - sums[(i - 4) * wide + j + 5] -
                                  sums[(i + 5) * wide + j - 4] + sums[(i - 4) * wide + j - 4]) /
                                 81;
    free(sums);
    finish(picture, all);
}
