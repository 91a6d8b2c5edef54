/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/residual.h"

#include <math.h>

/* share of the slowest form's time that all others reach: then no second set is busy, and lateness
 * has another reason */
#define SPARE 0.5
/* 12 additions and 2 multiplications take 2.58 cycles for 2.33 on a Zen 5, which cannot write both
 * results in one cycle */
#define SPARE_BY 1.3
/* 2 loads and a move from a vector take .67 cycles for .50 on a Zen 5; 8 and 1 take the predicted
 * 2.00 */
#define BUSY_BY 1.35
#define BUSY_MOST 1.0        /* cost of such a time, unless its ports predict more */

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
