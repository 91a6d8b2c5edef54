/* Measurements above the port bound (positive residuals, "late" times). A scheduler does not fill
 * two port sets perfectly, and none beats its ports. A positive residual is therefore weaker
 * evidence against a usage than a negative one (docs/notes/zen5.md). */
#ifndef PORTOLAN_CHART_RESIDUAL_H
#define PORTOLAN_CHART_RESIDUAL_H

#include <stdbool.h>
#include <stddef.h>

/* Limits of a late time: its largest cost in squared deviations, and the largest measured /
 * predicted that counts as late. */
#define RESIDUAL_COST_MOST 10.0
#define RESIDUAL_RATIO 1.25
/* of a form alone: stores to consecutive lines (.556 for .5 on a Zen 4). On a Zen 5 comparisons of
 * memory with an immediate (.300 for .250); and as many chains as registers do not fill six ports
 * (CMOVZ (R64, R64) .197 for .167) */
#define RESIDUAL_RATIO_ALONE 1.21

struct residual_limit {
    double by, most;
};

static inline bool is_above_ports(double predicted, double measured, double by)
{
    return measured > predicted && measured <= by * predicted;
}

/* Cost of a time: the square of @off, its deviation in units of the noise, at most @most; at most
 * @late.most if late. */
static inline double residual_cost(double off, double predicted, double measured, double most,
                                   struct residual_limit late)
{
    double limit = is_above_ports(predicted, measured, late.by) ? late.most : most,
           price = off * off;
    return price < limit ? price : limit;
}

/* Limit for an experiment whose @n > 0 forms take @own cycles each alone. @scattered: many times on
 * this CPU are late. */
struct residual_limit residual_limit_of(const double *own, size_t n, bool scattered);

#endif
