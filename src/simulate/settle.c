/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many states never repeat, or not before thousands of iterations, though the loop runs at its bound: which ports two hundred waiting µops are bound to
 * takes so long to come round, and does not matter. Faster than its bounds no loop is; so when the buffers have filled and the simulation keeps up with the
 * largest bound, not losing a cycle over three stretches, the bound is the result. */
#include "simulate/state.h"

#define STRETCH_CYCLES 128   /* at least */
#define STRETCH_LOOKS 4      /* at least */
#define STRETCH_SHARE 5      /* at least one part in so many of all that has been simulated: what fills slowly has time to fill */
#define STRETCHES 3          /* that must be alike */
#define SLACK 0.5            /* cycles: retirement comes in groups */

void settle_start(struct simulator *s, double least)
{
    s->settle = (struct settle){.least = least};
}

/* Whether a buffer holds more than at any look before: it is still filling, and the speed is not yet what it will be. */
static bool fills(struct simulator *s)
{
    const int32_t held[SETTLE_BUFFERS] = {s->rob + (int32_t)s->slots_done, s->scheduler, s->loads, s->stores, s->front.queued};
    bool more = false;

    for (unsigned i = 0; i < SETTLE_BUFFERS; i++) {
        more |= held[i] > s->settle.highest[i];
        s->settle.highest[i] = later(s->settle.highest[i], held[i]);
    }
    return more;
}

static bool near(double a, double b, double slack)
{
    return a - b <= slack && b - a <= slack;
}

/* Ends a stretch of @w. True when enough have been like the first of them. */
static bool end_stretch(struct settle *w)
{
    bool same = !w->filling && near(w->earliest, w->first.earliest, SLACK) && w->latest - w->first.latest <= 2 * SLACK;

    if (!same) {
        w->first.earliest = w->earliest;
        w->first.latest = w->latest;
        w->alike = 0;
    }
    w->looks = 0;
    w->filling = false;
    return ++w->alike >= STRETCHES;
}

bool settle_found(struct simulator *s)
{
    struct settle *w = &s->settle;

    if (w->least <= 0)
        return false;
    w->filling |= fills(s);
    double late = s->now - w->least * (double)s->retired.number / (double)s->plan.items.count;
    if (w->looks++ == 0) {
        w->begin = s->now;
        w->earliest = w->latest = late;
    }
    w->earliest = late < w->earliest ? late : w->earliest;
    w->latest = late > w->latest ? late : w->latest;
    int32_t length = s->now - w->begin;
    if (w->looks < STRETCH_LOOKS || length < STRETCH_CYCLES || length < s->now / STRETCH_SHARE || !end_stretch(w))
        return false;
    s->out->cycles = w->least;
    s->out->settled = true;
    return true;
}
