/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/body_order.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

void body_order(const uint32_t *counts, size_t n, uint64_t total, uint32_t *order)
{
    uint32_t *done = mem_zero(n, sizeof *done);
    for (uint64_t at = 0; at < total; at++) {
        size_t best = 0;
        double lag = -1e300;
        for (size_t i = 0; i < n; i++) {
            double behind = (double)counts[i] * ((double)at + 0.5) / (double)total - (double)done[i];
            if (done[i] < counts[i] && behind > lag) {
                lag = behind;
                best = i;
            }
        }
        order[at] = (uint32_t)best;
        done[best]++;
    }
    free(done);
}
