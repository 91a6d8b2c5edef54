/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the front end's queue into the schedulers: slots, room in the buffers, the port of each µop. */
#include "analysis/simulate_state.h"

#include <string.h>

#define AT_RENAME 1             /* cycles from rename to the first chance at a port, at least */

/* Ports are bound at rename to those with the least waiting; the second and fourth µop of a cycle take the next best unless that is much
 * worse (as measured on Skylake, uiCA, ICS 2022). */
static int8_t bind_port(portset ports, unsigned slot, const int32_t *before)
{
    int best = -1, next = -1;

    while (ports) {
        int port = 31 - __builtin_clz(ports);
        ports ^= (portset)1 << port;
        if (best < 0 || before[port] < before[best]) {
            next = best;
            best = port;
        } else if (next < 0 || before[port] < before[next]) {
            next = port;
        }
    }
    bool second = slot & 1 && next >= 0 && before[next] - before[best] < 3;
    return (int8_t)(second ? next : best);
}

/* Loads take their ports by turns. */
static int8_t next_in_turn(struct simulator *s, portset ports)
{
    portset above = ports & ~(((portset)2 << s->load_turn) - 1);
    s->load_turn = (uint8_t)__builtin_ctz(above ? above : ports);
    return (int8_t)s->load_turn;
}

/* @others: how much of its own item the µop waits for besides. */
static void add_waiting(struct simulator *s, uint32_t u, int8_t port, unsigned others)
{
    const struct plan_uop *uop = &s->plan.uops.items[u];
    uint32_t row = row_of(s, s->issued.iteration), place = row * (uint32_t)s->plan.uops.count + u;
    int32_t base = (int32_t)(row * s->plan.nodes.count);
    struct waiting *w = &s->waiting[place];

    *w = (struct waiting){.ready = s->now + (uop->kind == UOP_RENAMED ? 0 : AT_RENAME), .iteration = (int32_t)s->issued.iteration, .uop = u, .port = port, .open = (uint16_t)others};
    for (uint32_t i = uop->first_source; i < uop->first_source + uop->sources; i++) {
        const struct plan_source *source = &s->plan.sources.items[i];
        int32_t value = value_at(s, base, source);
        if (value == UNKNOWN)
            w->open++;
        else
            w->ready = later(w->ready, value + source->add);
    }
    if (uop->kind != UOP_RENAMED) {
        w->term = repeat_term(s, u, port, s->issued.iteration);
        s->content += w->term;
    }
    s->entered = s->issued.iteration * (int64_t)s->plan.uops.count + u + 1;
    if (!w->open)
        all_known(s, place);
}

static void enter(struct simulator *s, const struct plan_item *item, unsigned slot, const int32_t *before)
{
    struct flight *flight = flight_of(s, s->issued.iteration, s->issued.index);
    int32_t *values = values_of(s, s->issued.iteration);

    flight->issue = flight->done = flight->last = s->now;
    flight->first = flight->load = flight->compute_first = flight->compute_last = UNKNOWN;
    flight->pending = item->uops;
    flight->computing = item->computing;
    flight->told = false;
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++)
        values[n] = UNKNOWN;
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        const struct plan_uop *uop = &s->plan.uops.items[u];
        int8_t port = s->late ? PORT_LATE : uop->kind == UOP_LOAD ? next_in_turn(s, uop->ports) : bind_port(uop->ports, slot, before);
        bool loaded = item->load && (uop->kind == UOP_COMPUTE || uop->kind == UOP_DATA), computed = item->computing && uop->kind == UOP_DATA;
        slot += uop->kind == UOP_COMPUTE;   /* a load shares the slot of the operation it is fused with */
        demand(s, port, uop->ports, 1);
        add_waiting(s, u, port, (unsigned)loaded + computed);
    }
    if (item->early)
        add_waiting(s, item->first_uop + item->uops, PORT_NONE, 0);
    s->scheduler += (int32_t)item->uops;
    s->loads += item->load;
    s->stores += item->store;
    s->front.queued -= (int32_t)item->decode;
}

/* Long microcoded instructions enter in parts. */
static int32_t scheduler_need(const struct plan_item *item)
{
    return item->uops < 4 ? (int32_t)item->uops : 4;
}

/* What keeps the next item from entering; NULL: nothing. */
static double *obstacle(const struct simulator *s, const struct plan_item *item)
{
    if (s->slots_done)
        return NULL;
    if (s->rob + (int32_t)item->issue > s->rob_size && s->rob)
        return &s->out->stalls_rob;
    bool room = s->scheduler + scheduler_need(item) <= s->scheduler_size && s->loads + item->load <= s->load_size && s->stores + item->store <= s->store_size;
    return room ? NULL : &s->out->stalls_scheduler;
}

void rename_cycle(struct simulator *s)
{
    int32_t slots = s->issue_width, before[PORTS_MAX];
    unsigned slot = 0;

    memcpy(before, s->bound, s->core->ports->count * sizeof *before);
    s->stall = NULL;
    while (slots > 0) {
        const struct plan_item *item = &s->plan.items.items[s->issued.index];
        bool there = s->issued.number < s->front.delivered.number && flight_of(s, s->issued.iteration, s->issued.index)->fetch < s->now;
        double *stall = there ? obstacle(s, item) : &s->out->stalls_front;
        if (stall) {
            s->stall = slots == s->issue_width ? stall : NULL;
            return;
        }
        uint32_t need = item->issue - s->slots_done, take = need < (uint32_t)slots ? need : (uint32_t)slots;
        s->moved = true;
        s->rob += (int32_t)take;
        s->slots_done += take;
        slots -= (int32_t)take;
        slot += take;
        if (s->slots_done < item->issue)
            return;
        enter(s, item, slot - take, before);
        s->slots_done = 0;
        place_next(&s->issued, s->plan.items.count);
        if (s->issued.index == 0)
            repeat_next_iteration(s);
    }
}
