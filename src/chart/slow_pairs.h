/* Records usages whose µops exceed the port bound together with saturators (chart/residual.h). Only
 * the first few forms with one such usage run with all saturators. Later ones reuse their
 * results. */
#ifndef PORTOLAN_CHART_SLOW_PAIRS_H
#define PORTOLAN_CHART_SLOW_PAIRS_H

#include "chart/guess.h"

/* Number of leaders per usage: forms that run with all saturators, as examples for later forms with
 * that usage. */
#define SLOW_PAIRS_LEADERS 3

/* A usage whose forms have times above the port bound. */
struct slow_usage {
    struct guess guess;              /* usage of the first form */
    unsigned began, ended;           /* number of leaders started and finished */
};
struct slow_pairs {
    VEC(struct slow_usage) list;
    VEC(struct slow_time) times;    /* times of leaders above the port bound */
};
void slow_pairs_done(struct slow_pairs *h);

enum slow_pairs_advice {
    SLOW_PAIRS_LEAD,      /* measure the form with all saturators, as a leader */
    SLOW_PAIRS_WAIT,      /* wait until the leaders have finished */
    /* Measure the form with all saturators although the leaders have finished: they have another
     * usage, or no times above the port bound with these saturators. */
    SLOW_PAIRS_ALONE,
};
/* Returns the action for a form that has times above the port bound of @g. Counts the form as a
 * leader if it returns SLOW_PAIRS_LEAD. */
enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g);
/* Records a leader that had usage @begun and ran with all saturators. @now is the usage that
 * explains its times @s; NULL: none does. */
void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s);
/* Returns how many times of @s exceed the port bound of @g, not counting those with
 * SLOW_PAIRS_LEADERS comparable leaders that exceed it as much. A leader is comparable if it has an
 * equal usage, or loads the saturator's busy ports (issue slots) equally and blocks a pipe if and
 * only if @g does. */
size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s);

#endif
