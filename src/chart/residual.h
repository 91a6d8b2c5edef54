/* Measurements above the port bound (positive residuals). A scheduler does not
 * fill two port sets perfectly, but no execution is faster than the ports allow. A positive
 * residual is therefore weaker evidence against a usage than a negative one
 * (docs/notes/zen5.md). */
#ifndef PORTOLAN_CHART_RESIDUAL_H
#define PORTOLAN_CHART_RESIDUAL_H

#include <stdbool.h>
#include <stddef.h>

/* largest cost of a time above the port bound, in squared deviations */
#define RESIDUAL_COST_MOST 10.0
/* largest ratio of measured to predicted cycles at which the cost of a time above the port bound
 * is limited */
#define RESIDUAL_RATIO 1.25
/* Largest ratio of measured to predicted cycles of a form in isolation. On a Zen 4, stores to
 * consecutive lines take 0.556 cycles instead of 0.5. On a Zen 5, comparisons of memory with an
 * immediate take 0.300 cycles instead of 0.250. CMOVZ (R64, R64) takes 0.197 instead of 0.167. The
 * loop has too few independent chains for six ports. */
#define RESIDUAL_RATIO_ALONE 1.21

struct residual_limit {
    double by, most;
};

static inline bool is_above_ports(double predicted, double measured, double by)
{
    return measured > predicted && measured <= by * predicted;
}

/* cost of each further time above the port bound with the same cause */
#define RESIDUAL_AGAIN 1.0

/* Evidence of measured times for a usage. The evidence decides which usages are placed, chosen and
 * settled. */
struct times_seen {
    double noise;     /* relative standard deviation of times from a correct prediction */
    bool above_ports; /* whether times of this CPU may exceed the port bound */
    double cost;      /* -2 ln of the likelihood so far */
    double worst;     /* largest relative error of all times that are not above the port bound */
    /* @wrong: number of times that contradict the usage. @above_count: number of times above the
     * port bound. @alone_off: whether a time of the form in isolation contradicts the usage. */
    size_t times, wrong, above_count;
    bool alone_off;
};

/* Adds a time of the form in isolation (@alone) or with other forms. A time below the port bound
 * deviates only by noise. Of several times above the bound with one cause, only the one with the
 * largest cost counts fully. Each other one costs at most RESIDUAL_AGAIN. An unknown time (NaN)
 * adds nothing. *@cause_cost: largest cost so far of a time above the bound with this cause,
 * initially 0. The slowest other form is the likely cause. */
void times_add(struct times_seen *seen, double predicted, double measured, bool alone,
               double *cause_cost);
/* Returns whether the times do not contradict the usage. If times of this CPU may exceed the port
 * bound, one time in 20 may contradict it. */
bool times_explained(const struct times_seen *seen);

/* Rounds @cost, which must be below 2^31, to a multiple of 2^-20. Sums of such costs do not depend
 * on their order. */
static inline double residual_rounded(double cost)
{
    return cost + 0x1.8p32 - 0x1.8p32;
}

/* Returns the cost of a time: the square of @off, the deviation in units of the noise, up to a
 * limit. The limit is @limits.most if the time exceeds the port bound by at most @limits.by, else
 * @most. */
static inline double residual_cost(double off, double predicted, double measured, double most,
                                   struct residual_limit limits)
{
    double limit = is_above_ports(predicted, measured, limits.by) ? limits.most : most,
           price = off * off;
    return price < limit ? price : limit;
}

/* Returns the limits for an experiment whose @n > 0 forms take @own cycles each in isolation.
 * @scattered: many times on this CPU exceed the port bound. */
struct residual_limit residual_limit_of(const double *own, size_t n, bool scattered);

#endif
