/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/residual.h"

#include <math.h>

/* Limit for the other forms' time as a share of the slowest form's. Above it no second port set is
 * idle, and the excess has another cause. */
#define SPARE 0.5
/* Limit of the ratio of measured to predicted cycles if a port set is idle. On a Zen 5, 12
 * additions and 2 multiplications take 2.58 cycles for a bound of 2.33: the CPU cannot write both
 * results in one cycle. */
#define SPARE_BY 1.3
/* Limit of the ratio of measured to predicted cycles if no port set is idle. On a Zen 5, 2 loads
 * and a move from a vector take 0.67 cycles for a bound of 0.50; 8 loads and 1 move take the
 * predicted 2.00. */
#define BUSY_BY 1.35
#define BUSY_MOST 1.0        /* largest cost of a time below BUSY_BY */

struct residual_limit residual_limit_of(const double *own, size_t n, bool scattered)
{
    double most = 0, sum = 0;

    if (n == 1)
        return (struct residual_limit){RESIDUAL_RATIO_ALONE, RESIDUAL_COST_MOST};
    if (!scattered)
        return (struct residual_limit){RESIDUAL_RATIO, RESIDUAL_COST_MOST};
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, own[i]);
        sum += own[i];
    }
    return sum - most <= SPARE * most ? (struct residual_limit){SPARE_BY, RESIDUAL_COST_MOST}
                                      : (struct residual_limit){BUSY_BY, BUSY_MOST};
}
