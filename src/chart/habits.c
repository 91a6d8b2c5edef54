/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/habits.h"

#define ALIKE 0.03           /* relative: a time is late by no more than a leader's */

struct habit_time {
    size_t beside;           /* saturator */
    double late;             /* measured / predicted */
};

void habits_done(struct habits *h)
{
    for (size_t i = 0; i < h->list.count; i++)
        vec_done(&h->list.items[i].times);
    vec_done(&h->list);
}

static struct habit *find(const struct habits *h, const struct guess *g)
{
    for (size_t i = 0; i < h->list.count; i++)
        if (guess_equal(&h->list.items[i].guess, g))
            return &h->list.items[i];
    return NULL;
}

static bool is_known(const struct habit *t)
{
    return t->ended >= HABIT_LEADERS && t->kept == t->ended;
}

enum habit_advice habits_ask(struct habits *h, const struct guess *g)
{
    struct habit *t = find(h, g);

    if (!t) {
        vec_push(&h->list, (struct habit){.guess = *g});
        t = &h->list.items[h->list.count - 1];
    }
    if (t->kept < t->ended)
        return HABIT_ALONE;
    if (t->began < HABIT_LEADERS) {
        t->began++;
        return HABIT_LEAD;
    }
    return is_known(t) ? HABIT_ALONE : HABIT_WAIT;
}

void habits_tell(struct habits *h, const struct guess *begun, const struct sights *s, bool kept)
{
    struct habit *t = find(h, begun);

    t->ended++;
    t->kept += kept;
    for (size_t i = 0; kept && i < s->list.count; i++) {
        double late = guess_late_by(begun, s, i);
        if (late > 0)
            vec_push(&t->times, ((struct habit_time){s->list.items[i].beside, late}));
    }
}

static bool has_time(const struct habit *t, size_t beside, double late)
{
    for (size_t i = 0; i < t->times.count; i++)
        if (t->times.items[i].beside == beside && late <= (1 + ALIKE) * t->times.items[i].late)
            return true;
    return false;
}

size_t habits_new(const struct habits *h, const struct guess *g, const struct sights *s)
{
    const struct habit *t = find(h, g);
    size_t count = 0;

    t = t && is_known(t) ? t : NULL;
    for (size_t i = 0; i < s->list.count; i++) {
        double late = guess_late_by(g, s, i);
        count += late > 0 && !(t && has_time(t, s->list.items[i].beside, late));
    }
    return count;
}
