/* Records which µops slow each other down. Only the first few forms with one usage and positive
 * residuals (chart/residual.h) run with every saturator; later ones follow their result. */
#ifndef PORTOLAN_CHART_SLOW_PAIRS_H
#define PORTOLAN_CHART_SLOW_PAIRS_H

#include "chart/guess.h"

/* leaders: forms measured with all saturators on behalf of all forms of their usage with late
 * times */
#define SLOW_PAIRS_LEADERS 3

/* A usage with late times. */
struct slow_usage {
    struct guess guess;              /* that forms began with */
    unsigned began, ended;           /* leaders, and those that were measured with all saturators */
};
struct slow_pairs {
    VEC(struct slow_usage) list;
    VEC(struct slow_time) times;    /* late ones of leaders */
};
void slow_pairs_done(struct slow_pairs *h);

enum slow_pairs_advice {
    SLOW_PAIRS_LEAD,      /* measured with all saturators as one of the leaders */
    SLOW_PAIRS_WAIT,      /* the leaders are not through */
    /* measured with all saturators for the form's own sake: they got another usage, or were not
     * late there */
    SLOW_PAIRS_ALONE,
};
/* Advises on a form that has late times by @g. HABIT_LEAD counts it as a leader. */
enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g);
/* Records a leader that began with @begun and ran with all saturators. @now explains its times @s,
 * some of which may be late by it; NULL: nothing does. */
void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s);
/* Number of times of @s under load that are late by @g, as those of fewer than HABIT_LEADERS
 * leaders were. Leaders count that use the same number of the busy ports (with issue slots: of
 * slots; alone: all), and hold a blocking pipe or not as @g does. */
size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s);

#endif
