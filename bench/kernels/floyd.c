/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest paths between all pairs */
#include "kernel.h"

int main(int argc, char **argv)
{
    int n = size_of(argc, argv);
    size_t all = (size_t)n * (size_t)n;
    double *way = array(all, 1);

    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double over = way[i * n + k] + way[k * n + j];
                way[i * n + j] = way[i * n + j] < over ? way[i * n + j] : over;
            }
    finish(way, all);
}
