/* Records µops that slow each other down. Of the forms with one usage and positive residuals
 * (chart/residual.h) only the first few run with every saturator; later ones reuse their result. */
#ifndef PORTOLAN_CHART_SLOW_PAIRS_H
#define PORTOLAN_CHART_SLOW_PAIRS_H

#include "chart/guess.h"

/* forms measured with all saturators as examples for all forms of their usage with late times */
#define SLOW_PAIRS_LEADERS 3

/* A usage with late times. */
struct slow_usage {
    struct guess guess;              /* usage of the forms at first */
    unsigned began, ended;           /* leaders started, and leaders finished */
};
struct slow_pairs {
    VEC(struct slow_usage) list;
    VEC(struct slow_time) times;    /* late times of leaders */
};
void slow_pairs_done(struct slow_pairs *h);

enum slow_pairs_advice {
    SLOW_PAIRS_LEAD,      /* measure with all saturators as a leader */
    SLOW_PAIRS_WAIT,      /* wait for the leaders */
    /* measure with all saturators for the form itself: leaders got another usage, or were not late
     * there */
    SLOW_PAIRS_ALONE,
};
/* Returns advice for a form with late times under @g. HABIT_LEAD counts it as a leader. */
enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g);
/* Records a leader that had usage @begun and ran with all saturators. @now explains its times @s,
 * some of which may be late; NULL: nothing does. */
void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s);
/* Number of times of @s with saturators that are late under @g as those of fewer than HABIT_LEADERS
 * leaders were. A leader is comparable if it uses the same number of the busy ports (with issue
 * slots: of slots; alone: all) and blocks a pipe as @g does. */
size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s);

#endif
