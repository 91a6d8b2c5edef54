/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/slow_pairs.h"

#include <math.h>

#define ALIKE 0.03           /* relative tolerance of equal ratios */

struct slow_time {
    size_t beside;           /* index of the saturator */
    double late;             /* largest ratio of measured to predicted cycles */
    struct guess guess;      /* usage for which the cycles were predicted */
};

void slow_pairs_done(struct slow_pairs *h)
{
    vec_done(&h->list);
    vec_done(&h->times);
}

static struct slow_usage *find(const struct slow_pairs *h, const struct guess *g)
{
    for (size_t i = 0; i < h->list.count; i++)
        if (guess_equal(&h->list.items[i].guess, g))
            return &h->list.items[i];
    return NULL;
}

enum slow_pairs_advice slow_pairs_advise(struct slow_pairs *h, const struct guess *g)
{
    struct slow_usage *t = find(h, g);

    if (!t) {
        vec_push(&h->list, (struct slow_usage){.guess = *g});
        t = &h->list.items[h->list.count - 1];
    }
    if (t->began < SLOW_PAIRS_LEADERS) {
        t->began++;
        return SLOW_PAIRS_LEAD;
    }
    return t->ended < t->began ? SLOW_PAIRS_WAIT : SLOW_PAIRS_ALONE;
}

/* Returns the largest ratio of measured to predicted cycles of the times with saturator @beside
 * that exceed the port bound; 0: none. */
static double latest(const struct guess *g, const struct sights *s, size_t beside)
{
    double most = 0;

    for (size_t i = 0; i < s->list.count; i++)
        most = s->list.items[i].beside == beside ? fmax(most, guess_excess(g, s, i)) : most;
    return most;
}

void slow_pairs_record(struct slow_pairs *h, const struct guess *begun, const struct guess *now,
                       const struct sights *s)
{
    find(h, begun)->ended++;
    for (size_t b = 0; now && s->saturators && b < s->saturators->list.count; b++) {
        double late = latest(now, s, b);
        if (late > 0)
            vec_push(&h->times, ((struct slow_time){b, late, *now}));
    }
}

/* Writes the µops of @g that can use some of @ports to @out. Returns the number of their port
 * sets. */
static unsigned share_of(const struct guess *g, const struct lattice *lattice, portset ports,
                         struct guess *out)
{
    *out = (struct guess){.n = 0};
    for (unsigned i = 0; i < g->n; i++)
        if (lattice->sets.items[g->uops[i].set] & ports)
            out->uops[out->n++] = g->uops[i];
    return out->n;
}

/* Returns whether usages @a and @b load @ports, the saturator's busy ports, equally. For a
 * saturator of the issue slots (0), returns whether both use the same number of slots. Both or
 * neither must block a pipe. */
static bool alike_beside(const struct guess *a, const struct guess *b,
                         const struct lattice *lattice, portset ports)
{
    struct guess own, other;

    if (guess_equal(a, b))
        return true;
    if ((a->pipe > 0) != (b->pipe > 0))
        return false;
    if (!ports)
        return a->slots == b->slots;
    return share_of(a, lattice, ports, &own) && share_of(b, lattice, ports, &other) &&
           guess_equal(&own, &other);
}

static bool is_habit(const struct slow_pairs *h, const struct guess *g, const struct sights *s,
                     size_t beside, double late)
{
    const portset ports = s->saturators->list.items[beside].ports;
    unsigned leaders = 0;

    for (size_t i = 0; i < h->times.count && leaders < SLOW_PAIRS_LEADERS; i++) {
        const struct slow_time *t = &h->times.items[i];
        leaders += t->beside == beside && late <= (1 + ALIKE) * t->late &&
                   alike_beside(g, &t->guess, s->lattice, ports);
    }
    return leaders == SLOW_PAIRS_LEADERS;
}

size_t slow_pairs_matching(const struct slow_pairs *h, const struct guess *g,
                           const struct sights *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->list.count; i++) {
        double late = guess_excess(g, s, i);
        count += late > 0 && !is_habit(h, g, s, s->list.items[i].beside, late);
    }
    return count;
}
