/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many states never repeat, or not before thousands of iterations, though the loop runs at its bound: which ports two hundred waiting µops are bound to
 * takes so long to come round, and does not matter. Faster than its bounds no loop is; so when the buffers have filled and the simulation keeps up with the
 * largest bound, not losing a cycle over three stretches, the bound is the result. So it is with loads that are tried again, which are not simulated: where the simulation is faster
 * than they are, how much does not matter. */
#include "simulate/state.h"

#define STRETCH_CYCLES 128   /* at least */
#define STRETCH_LOOKS 4      /* at least */
#define STRETCH_SHARE 5      /* at least one part in so many of all that has been simulated: what fills slowly has time to fill */
#define STRETCHES 3          /* that must be alike */
#define SLACK 0.5            /* cycles: retirement comes in groups */

void settle_start(struct simulator *s, double least, double enough)
{
    s->settle = (struct settle){.least = least, .enough = enough, .lowest = s->order.room};
}

#define TOPS 0x8000800080008000u       /* of lanes */

/* Whether a lane of what is free holds less than at any look before. Each is below its top bit, which so tells. */
static inline bool frees_less(struct settle *w, uint64_t room)
{
    uint64_t same = ((room + TOPS) - w->lowest) & TOPS;

    if (same == TOPS)
        return false;
    uint64_t less = (same ^ TOPS) >> 15;
    less *= 0xffff;   /* whole lanes */
    w->lowest = (w->lowest & ~less) | (room & less);
    return true;
}

/* By events. */
static __attribute__((noinline)) bool holds_more(struct simulator *s)
{
    struct settle *w = &s->settle;
    const int32_t held[SETTLE_BUFFERS] = {s->rob + (int32_t)s->slots_done, s->scheduler, s->loads, s->stores, s->front.queued};
    bool more = false;
    for (unsigned i = 0; i < SETTLE_BUFFERS; i++) {
        more |= held[i] > w->highest[i];
        w->highest[i] = later(w->highest[i], held[i]);
    }
    return more;
}

/* Whether a buffer holds more than at any look before: it is still filling, and the speed is not yet what it will be. */
static inline bool fills(struct simulator *s)
{
    struct settle *w = &s->settle;

    if (!s->order.on)
        return holds_more(s);
    bool queue = s->front.queued > w->highest[SETTLE_BUFFERS - 1];
    w->highest[SETTLE_BUFFERS - 1] = later(w->highest[SETTLE_BUFFERS - 1], s->front.queued);
    return frees_less(w, s->order.room - in_lane(s->slots_done, LANE_ROB)) | queue;
}

static bool near(double a, double b, double slack)
{
    return a - b <= slack && b - a <= slack;
}

/* Ends a stretch of @w. True when enough have been like the first of them. */
static bool is_like_the_first(struct settle *w)
{
    bool same = !w->filling && near(w->earliest, w->first.earliest, SLACK) && w->latest - w->first.latest <= 2 * SLACK;

    if (!same) {
        w->first.earliest = w->earliest;
        w->first.latest = w->latest;
        w->alike = 0;
    }
    return ++w->alike >= STRETCHES;
}

/* The same where what is not simulated takes so long that being no slower decides: true when enough stretches after the first have not fallen behind that. */
static bool is_enough(struct settle *w)
{
    bool ahead = !w->filling && w->behind <= w->behind_before;

    w->ahead = ahead ? w->ahead + 1 : 0;
    w->behind_before = w->behind;
    return w->ahead >= STRETCHES;
}

static double cycles_late(const struct simulator *s, double cycles)
{
    return s->now - cycles * (double)s->retired.number / (double)s->plan.items.count;
}

bool settle_found(struct simulator *s)
{
    struct settle *w = &s->settle;

    if (w->least <= 0 && w->enough <= 0)
        return false;
    w->filling |= fills(s);
    double late = cycles_late(s, w->least), behind = w->enough > 0 ? cycles_late(s, w->enough) : 0;
    if (w->looks++ == 0) {
        w->begin = s->now;
        w->earliest = w->latest = late;
        w->behind = behind;
    }
    w->earliest = late < w->earliest ? late : w->earliest;
    w->latest = late > w->latest ? late : w->latest;
    w->behind = behind > w->behind ? behind : w->behind;
    int32_t length = s->now - w->begin;
    if (w->looks < STRETCH_LOOKS || length < STRETCH_CYCLES || length < s->now / STRETCH_SHARE)
        return false;
    bool settled = is_like_the_first(w) && w->least > 0, enough = is_enough(w) && w->enough > 0;
    w->looks = 0;
    w->filling = false;
    if (!settled && !enough)
        return false;
    s->out->cycles = w->least;   /* what is enough takes its place where it is more */
    s->out->settled = true;
    return true;
}
