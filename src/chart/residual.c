/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/residual.h"

#include <math.h>

/* Limit of the other forms' time as a share of the slowest form's time. Above this limit, no second
 * port set is idle. A time above the bound then has another cause. */
#define IDLE_SHARE 0.5
/* Limit of the ratio of measured to predicted cycles if a port set is idle. On a Zen 5, 12
 * additions and 2 multiplications take 2.58 cycles for a bound of 2.33, because the CPU cannot
 * write both results in one cycle. */
#define IDLE_BY 1.3
/* Limit of the ratio of measured to predicted cycles if no port set is idle. On a Zen 5, 2 loads
 * and a move from a vector take 0.67 cycles for a bound of 0.50; 8 loads and 1 move take the
 * predicted 2.00. */
#define BUSY_BY 1.35
/* largest cost of a time that exceeds the prediction by a factor of at most BUSY_BY */
#define BUSY_MOST 1.0
/* Largest cost of a time that does not exceed the port bound. It limits the effect of a single
 * wrong time. */
#define DEVIATION_MOST 40.0
#define REPEATED 0.005       /* relative standard deviation of repeated measurements */
#define RESOLUTION 0.001     /* absolute standard deviation of repeated measurements, in cycles */
#define MODEL 0.003          /* absolute deviation of times from a correct prediction, in cycles */
/* number of standard deviations above which a time may contradict a usage */
#define CONTRADICTS 3.0
#define CONTRADICTS_BY 0.03  /* minimum relative error of a contradiction */
/* If times may exceed the port bound, one in ODD_EVERY times may contradict a usage, because some
 * causes are unknown. */
#define ODD_EVERY 20

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
    return sum - most <= IDLE_SHARE * most ? (struct residual_limit){IDLE_BY, RESIDUAL_COST_MOST}
                                           : (struct residual_limit){BUSY_BY, BUSY_MOST};
}

void times_add(struct times_seen *seen, double predicted, double measured, bool alone,
               double *cause_cost)
{
    if (isnan(predicted) || isnan(measured))
        return;
    const double sigma = measured < predicted ? REPEATED * measured + RESOLUTION
                                              : seen->noise * measured + MODEL,
                 off = fabs(measured - predicted) / sigma, cost = off * off,
                 error = fabs(predicted / measured - 1),
                 by = !seen->above_ports ? 1 : alone ? RESIDUAL_RATIO_ALONE : RESIDUAL_RATIO;

    seen->times++;
    if (off > 1 && is_above_ports(predicted, measured, by)) {
        const double own = residual_rounded(fmin(cost, RESIDUAL_COST_MOST));
        seen->above_count++;
        seen->cost += fmax(0, own - *cause_cost) + fmin(fmin(own, *cause_cost), RESIDUAL_AGAIN);
        *cause_cost = fmax(own, *cause_cost);
        return;
    }
    seen->worst = fmax(seen->worst, error);
    seen->wrong += off > CONTRADICTS && error > CONTRADICTS_BY;
    seen->alone_off |= alone && off > CONTRADICTS && error > CONTRADICTS_BY;
    seen->cost += residual_rounded(fmin(cost, DEVIATION_MOST));
}

bool times_explained(const struct times_seen *seen)
{
    return !seen->alone_off && seen->wrong <= (seen->above_ports ? seen->times / ODD_EVERY : 0);
}
