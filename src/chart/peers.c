/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/peers.h"

#include <math.h>

#include "chart/distinguish.h"
#include "chart/placing.h"

/* maximum number of peers that are compared at the same time */
#define PEERS_MOST 64
/* number of random experiments in which a form must agree with its peer before it takes the peer's
 * usage */
#define PEER_CHECKS 4
/* maximum number of peers for which a form waits before it is measured with all saturators */
#define WAITS_MOST 3

static const struct sight *find(const struct sights *s, const struct sight *like)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (s->list.items[i].saturator == like->saturator && s->list.items[i].count == like->count)
            return &s->list.items[i];
    return NULL;
}

/* Returns whether the two forms are peers: they have at least two common experiments, and their
 * times agree within noise in each of these. */
static bool agree(const struct sights *a, const struct sights *b)
{
    size_t common = 0;

    for (size_t i = 0; i < a->list.count; i++) {
        const struct sight *one = &a->list.items[i], *other = find(b, one);
        if (!other)
            continue;
        if (sight_difference(a->lattice->noise, one->cycles, other->cycles) > DISTINGUISHED)
            return false;
        common++;
    }
    return common > 1;
}

/* Returns whether level @at of form @f is an available experiment. If so, sets @like to this
 * experiment. */
static bool is_open(const struct placer *p, const struct placing *f, size_t at, struct sight *like)
{
    const struct saturator_level level = placing_level(p, f, at);

    *like = (struct sight){level.saturator, level.count, NAN};
    return placing_available(p, f, at);
}

/* Returns the available level of form @f at which the times of its @n peers @of differ most;
 * SIZE_MAX: no times differ by more than noise. */
static size_t distinguishing_level(const struct placer *p, const struct placing *f,
                                   const struct sights *const *of, size_t n)
{
    size_t best = SIZE_MAX;
    double most = DISTINGUISHED;
    struct sight like;

    for (size_t at = 0; at < saturator_levels(&p->saturators); at++) {
        double least = INFINITY, largest = -INFINITY;
        for (size_t k = 0; k < n && is_open(p, f, at, &like); k++) {
            const struct sight *one = find(of[k], &like);
            if (one) {
                least = fmin(least, one->cycles);
                largest = fmax(largest, one->cycles);
            }
        }
        const double range =
            largest > least ? sight_difference(p->lattice->noise, least, largest) : 0;
        if (range > most) {
            most = range;
            best = at;
        }
    }
    return best;
}

/* Gives @f the usage and the alternatives of a peer whose times no usage explains. Computes the
 * costs of the alternatives for the times of @f. */
static void take_usage_of(struct placing *f, const struct placing *peer)
{
    f->guess = peer->guess;
    f->rival = peer->rival;
    f->rivals = peer->rivals;
    f->hidden = peer->hidden;
    f->other_count = 0;
    for (unsigned i = 0; i < peer->other_count; i++) {
        struct guess g = peer->others[i];
        g.cost = guess_cost(&g, &f->sights, INFINITY, NULL);
        placing_add_other(f, &g);
    }
    placing_judge(f);
    f->explained = false;
    f->done = true;
}

bool peers_compare(struct placer *p, struct placing *f)
{
    const struct placing *peers[PEERS_MOST];
    const struct sights *times[PEERS_MOST];
    size_t n = 0;

    f->leader = NULL;
    for (size_t i = 0; i < p->n && n < PEERS_MOST; i++) {
        const struct placing *g = &p->forms[i];
        if (!g->all || g->explained || g->vectors != f->vectors ||
            !agree(&f->sights, &g->sights))
            continue;
        if (g->done) {
            peers[n] = g;
            times[n++] = &g->sights;
        } else {
            f->leader = g;
        }
    }
    if (!n && f->leader && f->waited < WAITS_MOST) {
        f->waited++;
        return true;
    }
    f->leader = NULL;
    if (!n)
        return false;
    const size_t best = distinguishing_level(p, f, times, n);
    const size_t levels = saturator_levels(&p->saturators), first = rng_below(&p->rng, levels);
    size_t asked = best != SIZE_MAX;
    struct sight like;
    if (asked)
        placing_ask(p, f, best);
    for (size_t i = 0; i < levels && f->peer_checks < PEER_CHECKS && asked < 2; i++) {
        const size_t at = (first + i) % levels;
        if (!is_open(p, f, at, &like) || !find(times[0], &like))
            continue;
        placing_ask(p, f, at);
        f->peer_checks++;
        asked++;
    }
    if (!asked)
        take_usage_of(f, peers[0]);
    return true;
}
