/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From sources to ports: the calendar of µops whose time is known, the queues in front of the ports, dispatch, and the values that follow from it. */
#include "simulate/banks.h"

#include <string.h>

/* The queues to which @uop can go. */
static void name_queues(struct simulator *s, const struct plan_uop *uop)
{
    if (s->late) {
        s->queues.items[uop->choice].ports = uop->ports;
        s->queues.items[uop->choice].pipe = uop->pipe;
        return;
    }
    for (portset rest = uop->ports; rest; rest &= rest - 1) {
        struct queue *queue = &s->queues.items[uop->pipe_choice * PORTS_MAX + (unsigned)__builtin_ctz(rest)];
        queue->ports = rest & -rest;
        queue->pipe = uop->pipe;
    }
}

void execute_start(struct simulator *s)
{
    size_t queues = s->late ? s->plan.choices : (size_t)s->plan.pipe_choices * PORTS_MAX;

    memset(s->calendar, 0xff, sizeof s->calendar);
    while (s->queues.count < queues)
        vec_push(&s->queues, ((struct queue){.keys = NULL}));
    for (size_t q = 0; q < queues; q++) {
        struct queue *queue = &s->queues.items[q];
        queue->head = queue->tail = 0;
        queue->blocked = 0;
    }
    for (size_t u = 0; u < s->plan.uops.count; u++)
        name_queues(s, &s->plan.uops.items[u]);
    vec_reserve(&s->active, s->queues.count);
    vec_reserve(&s->turns, s->queues.count);
    s->active.count = 0;
}

void queue_make_room(struct queue *q)
{
    if (q->head > 0)
        memmove(q->keys, q->keys + q->head, (q->tail - q->head) * sizeof *q->keys);
    q->tail -= q->head;
    q->head = 0;
    if (q->tail * 2 < q->capacity)
        return;
    q->capacity = q->capacity ? 2 * q->capacity : 64;
    q->keys = mem_resize(q->keys, q->capacity * sizeof *q->keys);
}

static inline void turn_page(struct simulator *s)
{
    uint32_t *day = &s->calendar[(uint32_t)s->now & (CALENDAR - 1)], place = *day;

    if (place == NOBODY)
        return;
    *day = NOBODY;
    while (place != NOBODY) {
        struct waiting_uop *w = &s->waiting[place];
        place = w->next;
        if (w->ready > s->now)
            enter_calendar(s, w, s->now);
        else
            enqueue(s, w);
    }
}

int32_t value_with_trails(const struct simulator *s, const struct iteration *row, const struct plan_node *node, int32_t value)
{
    for (uint32_t i = node->first_trail; i < node->first_trail + node->trails; i++) {
        int32_t source = value_at(s, row->value, &s->plan.sources.items[i]);
        if (source != UNKNOWN)
            value = later(value, source + s->plan.sources.items[i].add);
    }
    return value;
}

/* By what its µops have done, without what trails behind. */
static int32_t value_of(const struct simulator *s, const struct plan_item *item, const struct flight *flight, int32_t latency)
{
    if (item->computing)
        return later(flight->compute_first + latency, flight->compute_last + 1);
    return flight->load != UNKNOWN ? flight->load + item->load_latency : s->now + latency;
}

static void publish(struct simulator *s, struct flight *flight, uint32_t node, int32_t value)
{
    flight->done = later(flight->done, value);
    value_known(s, &s->rows[flight->row], node, value);
}

static void publish_computed(struct simulator *s, const struct plan_item *item, struct flight *flight)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];

    flight->told = true;
    if (item->unread >= 0)
        flight->done = later(flight->done, value_of(s, item, flight, item->unread));
    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        if (!node->merged)
            publish(s, flight, nodes[i], value_with_trails(s, &s->rows[flight->row], node, value_of(s, item, flight, node->latency)));
    }
}

/* When the last µop of the item has been dispatched. */
static void publish_stored(struct simulator *s, const struct plan_item *item, struct flight *flight)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_STORED]];

    const int32_t stored = stored_when_computed(item) ? later(flight->last, value_of(s, item, flight, item->until_data)) : flight->last;
    flight->done = later(flight->done, flight->last + 1);
    for (uint32_t i = 0; i < item->listed[NODE_STORED]; i++)
        publish(s, flight, nodes[i], stored);
}

/* Values that wait for others besides the item's µops, from @ready on. */
static void publish_merged(struct simulator *s, const struct plan_item *item, struct flight *flight, int32_t ready)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];

    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        if (node->merged)
            publish(s, flight, nodes[i], later(ready, value_of(s, item, flight, node->latency)));
    }
    flight->merging = false;
}

/* Values that follow from sources alone, or join them. */
static void known_without_port(struct simulator *s, const struct waiting_uop *w, const struct plan_item *item, enum uop_kind kind)
{
    struct flight *flight = &s->flights[w->flight];

    if (kind == UOP_MERGED) {
        publish_merged(s, item, flight, w->ready);
        return;
    }
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_EARLY]];
    for (uint32_t i = 0; i < item->listed[NODE_EARLY]; i++)
        value_known(s, &s->rows[flight->row], nodes[i], w->ready + s->plan.nodes.items[nodes[i]].latency);
}

void all_known(struct simulator *s, struct waiting_uop *w)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];

    if (uop->kind >= UOP_RENAMED) {
        known_without_port(s, w, &s->plan.items.items[uop->item], uop->kind);
    } else if (w->ready > s->now) {
        enter_calendar(s, w, w->ready);
    } else if ((int64_t)(w->key >> 32) > s->scanned) {
        s->woken = true;
        enqueue(s, w);
    } else {
        enter_calendar(s, w, s->now + 1);
    }
}

/* One more of its sources is known, which lets it run from cycle @ready on. */
static inline void source_known(struct simulator *s, struct waiting_uop *w, int32_t ready)
{
    w->ready = later(w->ready, ready);
    if (--w->open == 0)
        all_known(s, w);
}

void value_known(struct simulator *s, const struct iteration *row, uint32_t node, int32_t value)
{
    const struct plan_node *from = &s->plan.nodes.items[node];

    s->values[(uint32_t)row->value + node] = value;
    if (!from->readers)
        return;
    const struct plan_reader *reader = &s->plan.readers.items[from->first_reader], *end = reader + from->readers;
    int64_t ahead = s->entered - row->age;
    for (; reader < end && reader->ahead < ahead; reader++) {
        uint32_t place = row->uop + reader->ahead;
        source_known(s, &s->waiting[place < s->waiting_count ? place : place - s->waiting_count], value + reader->add);
    }
}

/* Those of the item's µops that wait for its own load, or for the last that computes. */
static void tell_own(struct simulator *s, struct waiting_uop *own, const struct plan_item *item, bool of_load, int32_t ready)
{
    struct waiting_uop *first = own - own->uop;
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        uint8_t kind = s->plan.uops.items[u].kind;
        if (of_load ? behind_load(item, kind) : kind == UOP_DATA)
            source_known(s, first + u, ready);
    }
}

/* The one µop of an item goes: what publish_computed and publish_stored do, when nothing else is to be asked. */
static void publish_plain(struct simulator *s, const struct plan_item *item, struct flight *flight, enum uop_kind kind)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];
    const struct iteration *row = &s->rows[flight->row];
    int32_t next = s->now + 1, done = next;

    flight->told = true;
    flight->computing = 0;
    if (kind == UOP_LOAD)
        flight->load = s->now;
    else
        flight->compute_first = flight->compute_last = s->now;
    if (item->unread >= 0)
        done = later(done, kind == UOP_LOAD ? s->now + item->load_latency : s->now + item->unread);
    for (uint32_t i = 0; i < item->listed[NODE_STORED]; i++)
        value_known(s, row, s->plan.listed.items[item->first_listed[NODE_STORED] + i], s->now);
    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        int32_t value = kind == UOP_LOAD ? s->now + item->load_latency : later(s->now + node->latency, next);
        if (node->trails)
            value = value_with_trails(s, row, node, value);
        done = later(done, value);
        value_known(s, row, nodes[i], value);
    }
    flight->done = later(flight->done, done);
}

static void dispatch(struct simulator *s, struct waiting_uop *w, unsigned port)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];
    const struct plan_item *item = &s->plan.items.items[uop->item];
    struct flight *flight = &s->flights[w->flight];

    s->busy[port]++;
    s->content -= w->term;
    if (s->late)
        demand(s, uop->ports, -BOUND_ONE);
    else
        s->bound[port] -= BOUND_ONE;
    w->open = DISPATCHED;
    flight->pending--;
    flight->first = flight->first == UNKNOWN ? s->now : flight->first;
    flight->last = s->now;
    if (uop->pipe) {
        unsigned pipe = (unsigned)__builtin_ctz(uop->pipe);
        s->pipe_free[pipe] = s->now + uop->hold;
        s->busy[pipe] += uop->hold - (uop->pipe == uop->ports);   /* a port that is held was counted once */
    }
    if (item->plain) {
        publish_plain(s, item, flight, uop->kind);
        return;
    }
    if (uop->kind == UOP_LOAD) {
        flight->load = s->now;
        if (item->computing || item->data)
            tell_own(s, w, item, true, s->now + item->load_latency);
    }
    if (uop->kind == UOP_COMPUTE) {
        flight->compute_first = flight->compute_first == UNKNOWN ? s->now : flight->compute_first;
        flight->compute_last = s->now;
        if (--flight->computing == 0 && item->data)
            tell_own(s, w, item, false, later(flight->compute_first + item->until_data, flight->compute_last + 1));
    }
    if (!flight->pending)
        publish_stored(s, item, flight);
    if (!flight->told && !flight->computing && !(item->load && flight->load == UNKNOWN)) {
        publish_computed(s, item, flight);
        if (item->merges)
            source_known(s, w - w->uop + item->first_uop + item->uops + (item->listed[NODE_EARLY] > 0), s->now);
    }
}

/* Of the ports that the queue's µops can take now the one that least is waiting for; ports are known where they were bound at rename. */
static inline int free_port(const struct simulator *s, const struct queue *q, portset taken)
{
    int best = -1;
    if (!s->late) {
        int port = __builtin_ctz(q->ports);
        return taken & q->ports || held_until(s, q->pipe, (unsigned)port) > s->now ? -1 : port;
    }
    for (portset rest = q->ports & ~taken; rest; rest &= rest - 1) {
        int port = __builtin_ctz(rest);
        if (held_until(s, q->pipe, (unsigned)port) <= s->now && (best < 0 || s->bound[port] / BOUND_ONE < s->bound[best] / BOUND_ONE))
            best = port;
    }
    return best;
}

/* Adds the µop of @key, the oldest of its queue, to the first @count of @turns. */
static inline size_t take_turn(uint64_t *turns, size_t count, uint64_t key)
{
    size_t at = count;

    for (; at > 0 && turns[at - 1] < key; at--)
        turns[at] = turns[at - 1];
    turns[at] = key;
    return count + 1;
}

static size_t all_turns(struct simulator *s)
{
    const uint16_t *active = s->active.items, *end = active + s->active.count;
    const struct queue *queues = s->queues.items;
    uint64_t *turns = s->turns.items;
    int32_t now = s->now;
    size_t count = 0;

    for (; active < end; active++) {
        const struct queue *q = &queues[*active];
        if (q->blocked != now)
            count = take_turn(turns, count, q->keys[q->head]);
    }
    s->woken = false;
    return count;
}

static void leave_active(struct simulator *s, const struct queue *q)
{
    uint16_t last = s->active.items[--s->active.count];
    s->active.items[q->place] = last;
    s->queues.items[last].place = q->place;
}

/* A load whose banks are taken comes again in the next cycle. */
static inline bool bank_is_free(struct simulator *s, const struct waiting_uop *w)
{
    const struct plan_uop *uop = &s->plan.uops.items[w->uop];
    return !uop->bytes || cache_takes(s, &s->cache.taken, s->now, uop, s->rows[s->flights[w->flight].row].iteration);
}

/* By age, each µop that is ready takes a port that is free. */
void execute_cycle(struct simulator *s)
{
    portset taken = 0;

    turn_page(s);
    for (size_t turns = all_turns(s); turns > 0;) {
        uint64_t key = s->turns.items[--turns];
        struct waiting_uop *w = &s->waiting[(uint32_t)key];
        struct queue *q = &s->queues.items[w->queue];
        int port = free_port(s, q, taken);
        if (port < 0) {
            q->blocked = s->now;
            continue;
        }
        if (s->plan.banked && q->ports & s->load_ports && !bank_is_free(s, w)) {
            q->blocked = s->now;
            s->moved = true;
            continue;
        }
        if (++q->head == q->tail)
            leave_active(s, q);
        taken |= (portset)1 << port;
        if (!(q->ports & ~taken))
            q->blocked = s->now;
        s->scanned = (int64_t)(key >> 32);
        s->moved = true;
        s->scheduler--;
        dispatch(s, w, (unsigned)port);
        if (s->woken)
            turns = all_turns(s);
        else if (q->head < q->tail && q->blocked != s->now)
            turns = take_turn(s->turns.items, turns, q->keys[q->head]);
    }
    s->scanned = INT64_MAX;
}

int32_t execute_next(const struct simulator *s)
{
    int32_t next = UNKNOWN;

    for (int32_t ahead = 1; ahead <= CALENDAR && next == UNKNOWN; ahead++)
        if (s->calendar[(uint32_t)(s->now + ahead) & (CALENDAR - 1)] != NOBODY)
            next = s->now + ahead;
    for (size_t i = 0; i < s->active.count; i++) {
        const struct queue *q = &s->queues.items[s->active.items[i]];
        for (portset rest = q->ports; rest; rest &= rest - 1) {
            int32_t free = held_until(s, q->pipe, (unsigned)__builtin_ctz(rest));
            next = free > s->now && free < next ? free : next;
        }
    }
    return next;
}
