/* Records which µops slow each other down. Only the first few forms with one usage and positive
 * residuals (chart/residual.h) run with every saturator; later ones follow their result. */
#ifndef PORTOLAN_CHART_SLOW_PAIRS_H
#define PORTOLAN_CHART_SLOW_PAIRS_H

#include "chart/guess.h"

/* forms that run beside all saturators for all that have their usage and late times */
#define SLOW_PAIRS_LEADERS 3

/* A usage with late times. */
struct slow_usage {
    struct guess guess;              /* that forms began with */
    unsigned began, ended;           /* leaders, and those that ran beside all */
};
struct slow_pairs {
    VEC(struct slow_usage) list;
    VEC(struct slow_time) times;    /* late ones of leaders */
};
void slow_pairs_done(struct slow_pairs *h);

enum slow_pairs_advice {
    SLOW_PAIRS_LEAD,      /* run beside all saturators, as one of the leaders */
    SLOW_PAIRS_WAIT,      /* the leaders are not through */
    /* run beside all for the form's own sake: they came to another usage, or were not late there */
    SLOW_PAIRS_ALONE,
};
/* What a form should do that has late times by @g. HABIT_LEAD counts it as a leader. */
enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g);
/* A leader that began with @begun has run beside all saturators. @now explains its times @s, some
 * of which may be late by it; NULL: nothing does. */
void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s);
/* How many times of @s beside a saturator are late by @g as those of fewer than HABIT_LEADERS
 * leaders were that do the same on the ports that it keeps busy (beside one of issue slots: take as
 * many; with nothing there, all the same) and hold a blocking pipe or not as @g does. */
size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s);

#endif
