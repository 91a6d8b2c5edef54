/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the front end's queue into the schedulers, by events: the queue of each µop, and what it waits for. */
#include "simulate/bind.h"
#include "simulate/slots.h"

#include <string.h>

static void begin_iteration(struct simulator *s)
{
    uint32_t row = row_of(s, s->issued.iteration);

    s->entering = &s->rows[row];
    *s->entering = (struct iteration){s->issued.iteration, s->issued.iteration * (int64_t)s->plan.uops.count, (int32_t)(row * s->plan.nodes.count),
                                row * (uint32_t)s->plan.uops.count, row * (uint32_t)s->plan.items.count};
    s->power *= TURN;
    s->unpower *= TURN_BACK;
}

void rename_start(struct simulator *s)
{
    s->entered = 0;
    s->content = 0;
    s->power = s->unpower = 1;
    begin_iteration(s);
}

/* Which queues in front of the ports the item's µops will go to. */
static void bind(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    const struct plan_uop *uop = &s->plan.uops.items[item->first_uop], *end = uop + item->uops;
    uint16_t *to = s->bound_to;
    static const uint32_t none[PORTS_MAX];

    for (; uop < end; uop++, to++) {
        if (s->late) {
            demand(s, uop->ports, BOUND_ONE);
            *to = uop->choice;
            continue;
        }
        unsigned port = choose_port(s, uop, slot, s->before, none);
        s->bound[port] += BOUND_ONE;
        slot += uop->kind == UOP_COMPUTE;   /* a load shares the slot of the operation it is fused with */
        *to = (uint16_t)(uop->pipe_choice * PORTS_MAX + port);
    }
}

/* µop @uop, number @u, of the item at rename waits from now on for @own of its item's others and for its sources, and runs no earlier than @ready. */
static inline struct waiting_uop *add_waiting(struct simulator *s, const struct plan_uop *uop, uint32_t u, unsigned own, int32_t ready)
{
    const struct iteration *row = s->entering;
    const struct plan_source *source = &s->plan.sources.items[uop->first_source], *end = source + uop->sources;
    const int32_t *values = s->values;
    uint32_t place = row->uop + u;
    struct waiting_uop *w = &s->waiting[place];

    for (; source < end; source++) {
        int32_t at = row->value + source->place, value = values[at < 0 ? at + s->value_count : at];
        own += value == UNKNOWN;
        ready = value == UNKNOWN ? ready : later(ready, value + source->add);
    }
    w->key = (uint64_t)(row->age + u) << 32 | place;
    w->uop = u;
    w->flight = row->flight + s->issued.index;
    w->open = (uint16_t)own;
    w->ready = ready;
    return w;
}

/* The same for what the item has after its µops: number @u, which may be known at once. */
static void add_follower(struct simulator *s, uint32_t u, unsigned own)
{
    struct waiting_uop *w = add_waiting(s, &s->plan.uops.items[u], u, own, s->now);

    s->entered++;
    if (!w->open)
        all_known(s, w);
}

static void enter_uops(struct simulator *s, const struct plan_item *item)
{
    const struct plan_uop *uop = &s->plan.uops.items[item->first_uop];
    const uint16_t *queue = s->bound_to;
    uint64_t content = 0, power = s->power;
    int32_t soon = s->now + AT_RENAME;

    for (uint32_t u = item->first_uop, end = u + item->uops; u < end; u++, uop++, queue++) {
        struct waiting_uop *w = add_waiting(s, uop, u, uop->own, soon);
        uint64_t term = (uop->term ^ *queue) * TURN;
        w->queue = *queue;
        w->term = (term ^ term >> 29) * power;
        content += w->term;
        if (w->open)
            continue;
        if (w->ready == soon)   /* none that has come so far is younger */
            enqueue(s, w);
        else
            enter_calendar(s, w, w->ready);
    }
    s->content += content;
}

/* The item at rename begins to wait for what it needs. */
static void await(struct simulator *s, const struct plan_item *item)
{
    struct flight *flight = &s->flights[s->entering->flight + s->issued.index];
    int32_t *values = &s->values[s->entering->value];

    flight->issue = flight->done = flight->last = s->now;
    flight->first = flight->load = flight->compute_first = flight->compute_last = UNKNOWN;
    flight->row = row_of(s, s->issued.iteration);
    flight->pending = item->uops;
    flight->merging = item->merges;
    flight->computing = item->computing;
    flight->told = false;
    const uint32_t *node = &s->plan.listed.items[item->first_value], *end = node + item->values;
    for (; node < end; node++)
        values[*node] = UNKNOWN;
    enter_uops(s, item);
    uint32_t after = item->first_uop + item->uops;
    s->entered = s->entering->age + after;
    if (item->listed[NODE_EARLY])
        add_follower(s, after++, 0);
    if (item->merges)
        add_follower(s, after, 1);   /* it waits for the item's own µops at least */
}

static void enter(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    bind(s, item, slot);
    await(s, item);
    s->rob += (int32_t)item->issue;
    s->scheduler += (int32_t)item->uops;
    s->loads += item->load;
    s->stores += item->store;
}

static double *find_obstacle(struct simulator *s, const struct plan_item *item)
{
    return obstacle(s, item);
}

static void count_before(struct simulator *s)
{
    memcpy(s->before, s->bound, sizeof s->before);
}

void rename_cycle(struct simulator *s)
{
    rename_items(s, (struct entrance){find_obstacle, enter, begin_iteration, count_before});
}
