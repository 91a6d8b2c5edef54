/* Measurements above the port bound (positive residuals). A scheduler does not fill two port
 * sets perfectly, and none beats its ports. A positive residual is therefore weaker evidence
 * against a usage than a negative one (docs/notes/zen5.md). */
#ifndef PORTOLAN_CHART_RESIDUAL_H
#define PORTOLAN_CHART_RESIDUAL_H

#include <stdbool.h>
#include <stddef.h>

/* The most that a late time costs, in squared deviations, and the largest ratio of measured to
 * predicted that counts as late. */
#define RESIDUAL_COST_MOST 10.0
#define RESIDUAL_RATIO 1.25
/* of a form alone: stores to one line after the other (.556 for .5 on a Zen 4); on a Zen 5
 * comparisons of memory with an immediate (.300 for .250), and as many chains as there are
 * registers do not fill six ports (CMOVZ (R64, R64) .197 for .167) */
#define RESIDUAL_RATIO_ALONE 1.21

struct residual_limit {
    double by, most;
};

static inline bool is_above_ports(double predicted, double measured, double by)
{
    return measured > predicted && measured <= by * predicted;
}

/* Cost of a time: the square of @off, its deviation in units of the noise, at most @most, and of a
 * late one @late.most. */
static inline double residual_cost(double off, double predicted, double measured, double most,
                                   struct residual_limit late)
{
    double limit = is_above_ports(predicted, measured, late.by) ? late.most : most,
           price = off * off;
    return price < limit ? price : limit;
}

/* Of an experiment whose @n > 0 forms take @own cycles each by themselves. @scattered: on a CPU on
 * which many times are late. */
struct residual_limit residual_limit_of(const double *own, size_t n, bool scattered);

#endif
