/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "throughput/flow.h"

#include <string.h>

struct path_search {
    bool seen_set[FLOW_SETS];
    portset seen_ports;
    int16_t set_from_port[FLOW_SETS];   /* port from which a set was reached; -1: the source */
    int16_t port_from_set[PORTS_MAX];
};

static portset ports_mask(const struct flow *f)
{
    return f->ports == 32 ? ~(portset)0 : ((portset)1 << f->ports) - 1;
}

/* Searches breadth-first from sets with unassigned mass for a port with free capacity. Returns the
 * port or -1. */
static int find_path(const struct flow *f, const uint64_t *left, const uint64_t *load,
                     uint64_t capacity, struct path_search *s)
{
    uint16_t queue[FLOW_SETS + PORTS_MAX];
    unsigned head = 0, tail = 0;

    memset(s->seen_set, 0, sizeof s->seen_set);
    s->seen_ports = 0;
    for (unsigned i = 0; i < f->sets; i++)
        if (left[i]) {
            s->seen_set[i] = true;
            s->set_from_port[i] = -1;
            queue[tail++] = (uint16_t)i;
        }
    while (head < tail) {
        unsigned i = queue[head++];
        for (portset fresh = f->set[i] & ~s->seen_ports; fresh; fresh &= fresh - 1) {
            unsigned port = (unsigned)__builtin_ctz(fresh);
            s->seen_ports |= (portset)1 << port;
            s->port_from_set[port] = (int16_t)i;
            if (load[port] < capacity)
                return (int)port;
            for (unsigned k = 0; k < f->sets; k++)
                if (!s->seen_set[k] && f->amount[k][port]) {
                    s->seen_set[k] = true;
                    s->set_from_port[k] = (int16_t)port;
                    queue[tail++] = (uint16_t)k;
                }
        }
    }
    return -1;
}

/* Pushes the largest possible flow along the path that ends in @port. */
static void push_path(struct flow *f, uint64_t *left, uint64_t *load, uint64_t capacity,
                      const struct path_search *s, unsigned port)
{
    uint64_t amount = capacity - load[port];
    unsigned at = port;

    for (;;) {
        unsigned set = (unsigned)s->port_from_set[at];
        if (s->set_from_port[set] < 0) {
            amount = left[set] < amount ? left[set] : amount;
            break;
        }
        at = (unsigned)s->set_from_port[set];
        amount = f->amount[set][at] < amount ? f->amount[set][at] : amount;
    }
    load[port] += amount;
    for (at = port;;) {
        unsigned set = (unsigned)s->port_from_set[at];
        f->amount[set][at] += amount;
        if (s->set_from_port[set] < 0) {
            left[set] -= amount;
            return;
        }
        at = (unsigned)s->set_from_port[set];
        f->amount[set][at] -= amount;
    }
}

/* Computes a maximum flow with @capacity per port. Returns 0 if all mass fits, otherwise the ports
 * of a violated set. */
static portset saturate(struct flow *f, uint64_t capacity)
{
    uint64_t left[FLOW_SETS], load[PORTS_MAX] = {0};
    struct path_search s;

    memset(f->amount, 0, f->sets * sizeof f->amount[0]);
    for (unsigned i = 0; i < f->sets; i++)
        left[i] = f->mass[i] * f->denominator;
    for (;;) {
        int port = find_path(f, left, load, capacity, &s);
        if (port >= 0)
            push_path(f, left, load, capacity, &s, (unsigned)port);
        else
            return s.seen_ports;
    }
}

void flow_solve(struct flow *f)
{
    portset all = 0;
    uint64_t total = 0;

    for (unsigned i = 0; i < f->sets; i++) {
        all |= f->set[i];
        total += f->mass[i];
    }
    f->numerator = total;
    f->denominator = all ? portset_size(all) : 1;
    if (!total)
        return;
    portset violated;
    while ((violated = saturate(f, f->numerator))) {
        uint64_t mass = 0;
        for (unsigned i = 0; i < f->sets; i++)
            if (!(f->set[i] & ~violated))
                mass += f->mass[i];
        f->numerator = mass;
        f->denominator = portset_size(violated);
    }
}

/* Returns the ports that are reachable from @from by moving its mass to other permitted ports. */
static portset reachable(const struct flow *f, portset from)
{
    portset seen = from, todo = from;

    while (todo) {
        unsigned port = (unsigned)__builtin_ctz(todo);
        todo &= todo - 1;
        for (unsigned i = 0; i < f->sets; i++)
            if (f->amount[i][port]) {
                todo |= f->set[i] & ~seen;
                seen |= f->set[i];
            }
    }
    return seen;
}

static uint64_t load_of(const struct flow *f, unsigned port)
{
    uint64_t load = 0;
    for (unsigned i = 0; i < f->sets; i++)
        load += f->amount[i][port];
    return load;
}

static portset slack_ports(const struct flow *f)
{
    portset slack = 0;
    for (unsigned port = 0; port < f->ports; port++)
        if (load_of(f, port) < f->numerator)
            slack |= (portset)1 << port;
    return slack;
}

portset flow_tight_maximal(const struct flow *f)
{
    if (!f->numerator)
        return 0;
    portset slack = slack_ports(f), tight = 0;
    for (portset rest = ports_mask(f) & ~slack; rest; rest &= rest - 1) {
        portset one = rest & -rest;
        if (!(reachable(f, one) & slack))
            tight |= one;
    }
    return tight;
}

portset flow_tight_minimal(const struct flow *f)
{
    if (!f->numerator)
        return 0;
    portset slack = slack_ports(f), best = 0;
    for (portset rest = ports_mask(f) & ~slack; rest; rest &= rest - 1) {
        portset closed = reachable(f, rest & -rest);
        if (!(closed & slack) && (!best || portset_size(closed) < portset_size(best)))
            best = closed;
    }
    return best;
}
