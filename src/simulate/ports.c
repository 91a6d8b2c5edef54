/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binds µops to ports at rename (Intel) or selects a port at dispatch. Dispatches µops. */
#include "simulate/pipeline.h"

#include <string.h>

/* Returns the ports of loads, if all loads can use the same ports, and other µops cannot use them.
 * Otherwise returns 0. */
static portset alike(const struct plan *p)
{
    portset loads = 0;

    for (size_t u = 0; u < p->uops.count; u++)
        loads |= p->uops.items[u].kind == UOP_LOAD ? p->uops.items[u].ports : 0;
    for (size_t u = 0; u < p->uops.count; u++) {
        const struct plan_uop *uop = &p->uops.items[u];
        if (uop->ports & loads && (uop->kind != UOP_LOAD || uop->ports != loads || uop->pipe))
            return 0;
    }
    return loads;
}

void ports_start(struct simulator *s)
{
    s->load_turn = 0;
    s->alike = s->bound_at_rename ? alike(&s->plan) : 0;
    memset(s->bound, 0, sizeof s->bound);
    memset(s->pipe_free, 0, sizeof s->pipe_free);
    memset(s->busy, 0, sizeof s->busy);
}

unsigned ports_turn(const struct simulator *s)
{
    return portset_size(s->alike & (((portset)1 << s->load_turn) - 1));
}

/* Returns the port of @ports that the next load uses. Loads use their ports in rotation. */
static unsigned next_in_turn(struct simulator *s, portset ports)
{
    portset above = ports & ~(((portset)2 << s->load_turn) - 1);

    s->load_turn = (uint8_t)__builtin_ctz(above ? above : ports);
    return s->load_turn;
}

/* number of additional waiting µops at which the second-best port is skipped (measured on Skylake;
 * uiCA) */
#define MUCH_WORSE 3

/* Returns the sort key of @port: fewest waiting µops at the start of the cycle, then highest
 * index. */
static uint32_t rank_of(const struct simulator *s, unsigned port)
{
    return s->before[port] * PORTS_MAX + PORTS_MAX - 1 - port;
}

/* Stores the keys of the two best ports of @ports, which has at least two. Contains no branches,
 * because they would be mispredicted. */
static void two_best(const struct simulator *s, portset ports, uint32_t out[2])
{
    out[0] = out[1] = UINT32_MAX;
    for (portset rest = ports; rest; rest &= rest - 1) {
        uint32_t one = rank_of(s, (unsigned)__builtin_ctz(rest)),
                 worse = one > out[0] ? one : out[0];
        out[0] = one < out[0] ? one : out[0];
        out[1] = worse < out[1] ? worse : out[1];
    }
}

/* Returns the ports in @ports to which no µop was bound in this cycle. */
static portset unbound(const struct simulator *s, portset ports)
{
    portset out = 0;

    for (portset rest = ports; rest; rest &= rest - 1)
        out |= s->bound[__builtin_ctz(rest)] == s->before[__builtin_ctz(rest)] ? rest & -rest : 0;
    return out;
}

/* Selects the port in @ports with the fewest waiting µops. If @turn is odd, selects the second-best
 * port, unless at least MUCH_WORSE more µops wait there. If a µop was bound to the selected port in
 * this cycle, selects the best of the other ports, unless more µops wait there. */
static unsigned least_waiting(const struct simulator *s, portset ports, unsigned turn)
{
    uint32_t best[2];

    two_best(s, ports, best);
    bool next = turn & 1 && best[1] / PORTS_MAX - best[0] / PORTS_MAX < MUCH_WORSE;
    unsigned port = PORTS_MAX - 1 - best[next] % PORTS_MAX;
    if (s->bound[port] == s->before[port])
        return port;
    two_best(s, unbound(s, ports), best);
    return best[0] / PORTS_MAX <= s->bound[port] ? PORTS_MAX - 1 - best[0] % PORTS_MAX : port;
}

static unsigned choose_port(struct simulator *s, const struct plan_uop *uop, unsigned turn)
{
    if (uop->kind == UOP_LOAD)
        return next_in_turn(s, uop->ports);
    if (!(uop->ports & (uop->ports - 1)))
        return (unsigned)__builtin_ctz(uop->ports);
    return least_waiting(s, uop->ports, s->turns_of_computing ? s->turn++ : turn);
}

/* Adds @change to the number of waiting µops of each port in @ports. */
static void count_waiting(struct simulator *s, portset ports, uint32_t change)
{
    for (portset rest = ports; rest; rest &= rest - 1)
        s->bound[__builtin_ctz(rest)] += change;
}

void ports_bind(struct simulator *s, const struct plan_item *item)
{
    unsigned turn = s->turn;

    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        const struct plan_uop *uop = &s->plan.uops.items[u];
        struct waiting_uop *w = &s->waiting[s->entering->uop + u];
        if (!s->bound_at_rename) {
            count_waiting(s, uop->ports, 1);
            w->queue = uop->choice;
            continue;
        }
        unsigned port = choose_port(s, uop, turn);
        s->bound[port]++;
        turn += uop->kind == UOP_COMPUTE;   /* A load does not advance the turn, because it shares
                                             * the rename slot of its operation. */
        w->queue = (uint16_t)(uop->pipe_choice * PORTS_MAX + port);
    }
    /* An eliminated instruction does not advance the turn. */
    if (item->uops && !s->turns_of_computing)
        s->turn += item->issue;
}

/* Returns the free port for @q with the fewest waiting µops, or -1. */
static int free_port(const struct simulator *s, const struct queue *q, portset taken)
{
    int best = -1;

    for (portset rest = q->ports & ~taken; rest; rest &= rest - 1) {
        int port = __builtin_ctz(rest);
        if (held_until(s, q->pipe, (unsigned)port) <= s->now &&
            (best < 0 || s->bound[port] < s->bound[best]))
            best = port;
    }
    return best;
}

/* Returns the queue with the oldest µop, except for queues blocked in this cycle. Returns NULL if
 * there is no such queue. */
static struct queue *oldest(struct simulator *s)
{
    struct queue *best = NULL;
    int64_t age = INT64_MAX;

    for (size_t i = 0; i < s->active.count; i++) {
        struct queue *q = &s->queues.items[s->active.items[i]];
        if (q->blocked == s->now || q->age >= age)
            continue;
        best = q;
        age = q->age;
    }
    return best;
}

/* Returns whether a slot and the cache banks of @w are free, and marks them as used. Returns true
 * if the address of @w is unknown. */
static bool has_banks(struct simulator *s, const struct waiting_uop *w)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];
    return !uop->bytes || memory_load(s, uop, s->rows[s->flights[w->flight].row].iteration);
}

static void dispatch(struct simulator *s, struct waiting_uop *w, unsigned port)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];

    s->busy[port]++;
    if (s->bound_at_rename)
        s->bound[port]--;
    else
        count_waiting(s, uop->ports, -1u);
    w->open = DISPATCHED;
    if (uop->pipe) {
        unsigned pipe = pipe_at(uop->pipe, port);
        s->pipe_free[pipe] = s->now + uop->hold;
        /* Excludes the cycle on the port itself, which is already counted. */
        s->busy[pipe] += uop->hold - (pipe == port);
    }
    writeback_dispatched(s, w);
}

void ports_cycle(struct simulator *s)
{
    portset taken = 0;

    for (struct queue *q; (q = oldest(s)) != NULL;) {
        struct waiting_uop *w = &s->waiting[q->uops[q->head]];
        int port = free_port(s, q, taken);
        if (port < 0) {
            q->blocked = s->now;
            continue;
        }
        if (s->plan.banked && q->ports & s->cache.ports && !has_banks(s, w)) {
            q->blocked = s->now;   /* Tries the µop again in the next cycle. */
            s->moved = true;
            continue;
        }
        scheduler_leave(s, q);
        taken |= (portset)1 << port;
        if (!(q->ports & ~taken))
            q->blocked = s->now;
        s->scanned = w->age;
        s->moved = true;
        dispatch(s, w, (unsigned)port);
    }
    s->scanned = INT64_MAX;
}
