/* Records µops that slow each other down. Of the forms with one usage and positive residuals
 * (chart/residual.h), only the first few run with every saturator. Later ones reuse their
 * result. */
#ifndef PORTOLAN_CHART_SLOW_PAIRS_H
#define PORTOLAN_CHART_SLOW_PAIRS_H

#include "chart/guess.h"

/* leaders per usage: forms measured with all saturators, as examples for other forms with that
 * usage */
#define SLOW_PAIRS_LEADERS 3

/* A usage whose forms have times above the port bound. */
struct slow_usage {
    struct guess guess;              /* usage of the first form */
    unsigned began, ended;           /* number of leaders started, and number finished */
};
struct slow_pairs {
    VEC(struct slow_usage) list;
    VEC(struct slow_time) times;    /* times above the port bound that leaders had */
};
void slow_pairs_done(struct slow_pairs *h);

enum slow_pairs_advice {
    SLOW_PAIRS_LEAD,      /* measure the form with all saturators, as a leader */
    SLOW_PAIRS_WAIT,      /* wait until the leaders have finished */
    /* Measure the form with all saturators for itself: leaders have another usage, or no times
     * above the port bound with these saturators. */
    SLOW_PAIRS_ALONE,
};
/* Returns advice for a form with times above the port bound of @g. SLOW_PAIRS_LEAD counts it as a
 * leader. */
enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g);
/* Records a leader that had usage @begun and ran with all saturators. @now explains its times @s,
 * some of which may exceed the port bound. NULL: no usage does. */
void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s);
/* Returns how many times of @s exceed the port bound of @g where fewer than SLOW_PAIRS_LEADERS
 * comparable leaders did. A leader is comparable if it uses the same number of the busy ports (with
 * issue slots: of slots; alone: all) and blocks a pipe as @g does. */
size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s);

#endif
