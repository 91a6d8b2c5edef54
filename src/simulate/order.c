/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens behind rename, in program order. Where rename binds µops to ports and each port takes the oldest µop that is ready, a µop's cycle depends on older ones
 * only: it is the first in which it is ready and no older one has the port. So no cycle is looked at to see who can go; an item's course is told at
 * rename, and the cycles only count what has been told. A µop that holds a port or pipe for some cycles could hold up an older one that is ready a little later:
 * then the block is lost for this way, and is simulated by events. */
#include "simulate/banks.h"
#include "simulate/bind.h"
#include "simulate/slots.h"

#include <string.h>

#define FAR (AHEAD - HOLD_MOST - 128)  /* cycles ahead that a µop may become ready: words behind now stay free */

/* When the µops of an item go to their ports. UNKNOWN: none of that kind did. */
struct course {
    int32_t first, last, load, compute_first, compute_last;   /* cycles */
    uint32_t loader;                   /* the µop that loads */
};

static void size_rings(struct simulator *s)
{
    struct order *o = &s->order;
    uint32_t ring = power_of_two(items_in_flight(s) + SLOTLESS_MOST * (size_t)s->core->uop_queue);

    o->kept = s->plan.longest_distance * s->plan.nodes.count;
    o->rows = 4 * s->plan.longest_distance + 16;
    RING(o->values, o->value_capacity, o->kept + o->rows * s->plan.nodes.count + 1);
    memset(o->values, 0, o->kept * sizeof *o->values);   /* before the first iteration all was there long ago */
    o->here = o->values + o->kept;
    o->mask = ring - 1;
    if (s->timeline)
        RING(o->fetched, o->fetched_capacity, ring);
    uint32_t uops = 0;
    for (size_t k = 0; k < s->plan.items.count; k++)
        uops = s->plan.items.items[k].uops > uops ? s->plan.items.items[k].uops : uops;
    RING(o->coming, o->coming_capacity, (size_t)s->issue_width * uops + 1);   /* an item that comes takes a slot, or has no µops */
    o->coming_count = 0;
}

/* Of what the last block was told nothing is left. */
static void forget(struct simulator *s)
{
    struct order *o = &s->order;

    int32_t last = later(o->furthest, o->retiring);

    last = last < s->now + AHEAD ? last : s->now + AHEAD;
    for (int32_t cycle = s->now - 64; cycle <= last + 63; cycle += 64)
        for (unsigned port = 0; port < PORTS_MAX; port++)
            o->taken[port][(uint32_t)cycle / 64 % AHEAD_WORDS] = 0;
    for (int32_t cycle = s->now + 1; cycle <= last; cycle++)
        o->due[(uint32_t)cycle % AHEAD] = (struct due){0};
    o->epoch += last + AHEAD;
}

void order_start(struct simulator *s)
{
    size_rings(s);
    s->order.room = LANE_ZERO + in_lane((uint64_t)s->rob_size, LANE_ROB) + in_lane((uint64_t)s->scheduler_size, LANE_SCHEDULER) + in_lane((uint64_t)s->load_size, LANE_LOADS) +
                    in_lane((uint64_t)s->store_size, LANE_STORES);
    s->order.fours = (s->core->ports->count + 3) / 4;
    s->order.lost = false;
    s->order.gaps = s->load_ports != 0;
    s->order.alike = order_alike(&s->plan);
    for (size_t u = 0; u < s->plan.uops.count; u++)
        s->order.gaps |= s->plan.uops.items[u].hold > 0;
    s->order.furthest = s->order.retiring = s->order.slots = 0;
    s->order.content = s->order.times = s->order.retirement = 0;
    for (unsigned port = 0; port < PORTS_MAX; port++)
        s->order.term[port] = (2 * (uint64_t)(s->order.alike >> port & 1 ? PORTS_MAX : port) + 1) * TURN_BACK;
    for (unsigned port = 0; port < PORTS_MAX; port++)
        s->order.came[port] = PORTS_MAX - 1 - port;
    memset(s->order.gone, 0, sizeof s->order.gone);
}

/* The first cycle from @ready on in which @taken has room. */
static inline int32_t first_free(const uint64_t *taken, int32_t ready)
{
    uint32_t word = (uint32_t)ready / 64;
    uint64_t room = ~taken[word % AHEAD_WORDS] & ~(uint64_t)0 << (uint32_t)ready % 64;

    while (!room)
        room = ~taken[++word % AHEAD_WORDS];
    return (int32_t)(word * 64) + __builtin_ctzll(room);
}

static inline void take(uint64_t *taken, int32_t cycle)
{
    taken[(uint32_t)cycle / 64 % AHEAD_WORDS] |= (uint64_t)1 << (uint32_t)cycle % 64;
}

static inline bool is_taken(const uint64_t *taken, int32_t cycle)
{
    return taken[(uint32_t)cycle / 64 % AHEAD_WORDS] >> (uint32_t)cycle % 64 & 1;
}

static inline struct due *due_in(struct order *o, int32_t cycle)
{
    return &o->due[(size_t)(uint32_t)cycle % AHEAD];
}

/* A load whose banks are taken holds its port and comes again in the next cycle. */
static int32_t place_load(struct simulator *s, const struct plan_uop *uop, uint64_t *taken, int32_t ready)
{
    for (;; ready++) {
        ready = first_free(taken, ready);
        take(taken, ready);
        if (cache_takes(s, &s->order.loads[(uint32_t)ready % AHEAD], s->order.epoch + ready, uop, s->issued.iteration) || s->order.lost)
            return ready;
        s->order.lost |= ready - s->now > FAR;
    }
}

/* A µop that holds a pipe, or its port, for some cycles; in none of them may an older one begin, which it would hold up. */
static int32_t place_held(struct simulator *s, const struct plan_uop *uop, uint64_t *taken, int32_t ready)
{
    struct order *o = &s->order;
    unsigned pipe = (unsigned)__builtin_ctz(uop->pipe);
    uint64_t *held = o->taken[pipe];
    int32_t at = first_free(taken, ready);

    for (int32_t free; (free = first_free(held, at)) != at; at = first_free(taken, free))
        o->lost |= free - s->now > FAR;
    for (int32_t cycle = at; cycle < at + uop->hold; cycle++) {
        o->lost |= is_taken(held, cycle);
        take(held, cycle);
    }
    take(taken, at);
    o->furthest = later(o->furthest, at + uop->hold - 1);
    s->busy[pipe] += uop->hold - (uop->pipe == uop->ports);   /* a port that is held is counted once */
    return at;
}

/* What is no plain µop. */
static __attribute__((noinline)) int32_t place_other(struct simulator *s, const struct plan_uop *uop, uint64_t *taken, int32_t ready)
{
    return uop->pipe ? place_held(s, uop, taken, ready) : place_load(s, uop, taken, ready);
}

/* No µop has a place from now on. */
static __attribute__((noinline)) void lose(struct order *o)
{
    o->lost = true;
    o->limit = INT32_MIN;
}

/* The cycle in which @uop goes to @port. */
static inline __attribute__((always_inline)) int32_t place_uop(struct simulator *s, const struct plan_uop *uop, unsigned port, int32_t ready)
{
    struct order *o = &s->order;
    uint64_t *taken = o->taken[port];
    int32_t at;

    if (ready > o->limit) {
        lose(o);
        return s->now + AT_RENAME;
    }
    if (uop->apart)
        at = place_other(s, uop, taken, ready);
    else
        take(taken, at = first_free(taken, ready));
    if (at > o->limit)   /* so many may wait for one port: before the ring is full */
        lose(o);
    struct due *due = due_in(o, at);
    due->room += in_lane(1, LANE_SCHEDULER);
    due->goes |= (portset)1 << port;
    uint64_t term = o->term[port];
    due->term += term;
    o->content += term;
    o->times += term * (uint64_t)at;
    return at;
}

/* The value that @source stands for, of the iteration at rename. */
static inline const struct told_value *told(const struct simulator *s, const struct plan_source *source)
{
    return s->order.here + source->place;
}

static inline void tell(struct simulator *s, uint32_t node, int32_t value, int32_t known)
{
    s->order.here[node] = (struct told_value){value, known};
}

/* When the µop's sources let it run, from @ready on. */
static inline int32_t sources_ready(const struct simulator *s, const struct plan_uop *uop, int32_t ready)
{
    const struct plan_source *source = &s->plan.sources.items[uop->first_source], *end = source + uop->sources;

    for (; source < end; source++) {
        const struct told_value *from = told(s, source);
        ready = later(ready, later(from->value + source->add, from->known));
    }
    return ready;
}

/* The same by values alone, which can have been there before that was known: *@known, later(it, the cycle in which the last was). */
static inline int32_t values_ready(const struct simulator *s, const struct plan_uop *uop, int32_t ready, int32_t *known)
{
    for (uint32_t i = uop->first_source; i < uop->first_source + uop->sources; i++) {
        const struct plan_source *source = &s->plan.sources.items[i];
        const struct told_value *from = told(s, source);
        ready = later(ready, from->value + source->add);
        *known = later(*known, from->known);
    }
    return ready;
}

/* @value no earlier than those that trail behind it and are known by @cycle. */
static int32_t with_trails(const struct simulator *s, const struct plan_node *node, int32_t value, int32_t cycle)
{
    for (uint32_t i = node->first_trail; i < node->first_trail + node->trails; i++) {
        const struct plan_source *source = &s->plan.sources.items[i];
        const struct told_value *from = told(s, source);
        if (from->known <= cycle)
            value = later(value, from->value + source->add);
    }
    return value;
}

/* When the others of its item let µop @u run. */
static int32_t own_ready(const struct plan_item *item, const struct plan_uop *uop, uint32_t u, const struct course *c)
{
    int32_t ready = 0;

    if (behind_load(item, uop->kind))   /* a µop that is older than the load had its turn in that cycle */
        ready = later(c->load + item->load_latency, c->load + (u < c->loader));
    if (uop->kind == UOP_DATA && item->computing)
        ready = later(ready, later(c->compute_first + item->until_data, c->compute_last + 1));
    return ready;
}

static inline unsigned bind(struct simulator *s, const struct plan_uop *uop, unsigned slot)
{
    unsigned port = choose_port(s, uop, slot, s->order.came, s->order.gone);

    s->order.coming[s->order.coming_count++] = (uint8_t)port;
    return port;
}

static void run_uops(struct simulator *s, const struct plan_item *item, unsigned slot, struct course *c)
{
    const struct plan_uop *uops = &s->plan.uops.items[item->first_uop];

    for (uint32_t u = 0; u < item->uops; u++) {
        s->bound_to[u] = (uint16_t)bind(s, &uops[u], slot);
        slot += uops[u].kind == UOP_COMPUTE;   /* a load shares the slot of the operation it is fused with */
    }

    *c = (struct course){INT32_MAX, 0, UNKNOWN, INT32_MAX, 0, 0};
    for (uint32_t i = 0; i < item->uops; i++) {
        uint32_t u = uops[i].turn;
        const struct plan_uop *uop = &uops[u];
        int32_t ready = sources_ready(s, uop, s->now + AT_RENAME);
        if (uop->own)
            ready = later(ready, own_ready(item, uop, u, c));
        int32_t at = place_uop(s, uop, s->bound_to[u], ready);
        c->first = at < c->first ? at : c->first;
        c->last = later(c->last, at);
        if (uop->kind == UOP_LOAD) {
            c->load = at;
            c->loader = u;
        } else if (uop->kind == UOP_COMPUTE) {
            c->compute_first = at < c->compute_first ? at : c->compute_first;
            c->compute_last = later(c->compute_last, at);
        }
    }
}

/* A value of the item by what its µops do; @otherwise: from when on it takes its time where they neither compute nor load. */
static inline int32_t value_of(const struct plan_item *item, const struct course *c, int32_t latency, int32_t otherwise)
{
    if (item->computing)
        return later(c->compute_first + latency, c->compute_last + 1);
    return c->load != UNKNOWN ? c->load + item->load_latency : otherwise + latency;
}

/* Values that wait for others besides the item's own µops, which are through in cycle @through. Returns the cycle in which the last is known. */
static int32_t tell_merged(struct simulator *s, const struct plan_item *item, const struct course *c, int32_t through, int32_t *done)
{
    const struct plan_uop *merged = &s->plan.uops.items[item->first_uop + item->uops + (item->listed[NODE_EARLY] > 0)];
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]];
    int32_t known = through, ready = values_ready(s, merged, through, &known);

    for (uint32_t i = 0; i < item->listed[NODE_COMPUTED]; i++) {
        const struct plan_node *node = &s->plan.nodes.items[nodes[i]];
        if (!node->merged)
            continue;
        int32_t value = later(ready, value_of(item, c, node->latency, known));
        tell(s, nodes[i], value, known);
        *done = later(*done, value);
    }
    return known;
}

/* What the item's µops compute and store. Returns the cycle when it is done; no earlier than *@known it retires. */
static int32_t tell_values(struct simulator *s, const struct plan_item *item, const struct course *c, int32_t *known)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_COMPUTED]], *end = nodes + item->listed[NODE_COMPUTED];
    int32_t loaded = c->load == UNKNOWN ? 0 : c->load, done = c->last + 1;
    int32_t through = item->computing ? later(c->compute_last, loaded) : c->load != UNKNOWN ? loaded : c->first;

    if (item->unread >= 0)
        done = later(done, value_of(item, c, item->unread, through));
    for (; nodes < end; nodes++) {
        const struct plan_node *node = &s->plan.nodes.items[*nodes];
        if (node->merged)
            continue;
        int32_t value = value_of(item, c, node->latency, through);
        if (node->trails)
            value = with_trails(s, node, value, through);
        tell(s, *nodes, value, through);
        done = later(done, value);
    }
    nodes = &s->plan.listed.items[item->first_listed[NODE_STORED]];
    int32_t stored = stored_when_computed(item) ? later(c->last, value_of(item, c, item->until_data, 0)) : c->last;
    for (end = nodes + item->listed[NODE_STORED]; nodes < end; nodes++)
        tell(s, *nodes, stored, c->last);
    if (item->merges)
        *known = tell_merged(s, item, c, through, &done);
    return done;
}

/* Values that follow from their sources without a µop. */
static inline void tell_early(struct simulator *s, const struct plan_item *item)
{
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_EARLY]];
    int32_t known = s->now, ready = values_ready(s, &s->plan.uops.items[item->first_uop + item->uops], s->now, &known);

    for (uint32_t i = 0; i < item->listed[NODE_EARLY]; i++)
        tell(s, nodes[i], ready + s->plan.nodes.items[nodes[i]].latency, known);
}

/* In program order, so many slots a cycle; what takes more slots than a cycle has is counted whole. */
static inline void retire(struct simulator *s, const struct plan_item *item, int32_t earliest)
{
    struct order *o = &s->order;
    int32_t cycle = later(earliest, o->retiring + (o->slots <= 0));

    if (cycle > o->retiring)
        o->slots = s->retire_width;
    o->retiring = cycle;
    o->slots -= (int32_t)item->issue;
    o->retirement += (uint64_t)cycle;
    if (cycle >= o->limit + (AHEAD - FAR)) {
        lose(o);
        return;
    }
    struct due *due = due_in(o, cycle);
    due->room += item->leaves;
    due->gone += item->gone;
    if (!item->listed[NODE_AT_RETIREMENT])
        return;
    const uint32_t *nodes = &s->plan.listed.items[item->first_listed[NODE_AT_RETIREMENT]];
    for (uint32_t i = 0; i < item->listed[NODE_AT_RETIREMENT]; i++)
        tell(s, nodes[i], with_trails(s, &s->plan.nodes.items[nodes[i]], cycle, cycle - 1), cycle);
}

static void keep_steps(struct simulator *s, const struct plan_item *item, int32_t done)
{
    struct simulated_step step = {s->order.fetched[(uint64_t)s->issued.number & s->order.mask], s->now, s->order.first, done, s->order.retiring};

    for (uint32_t k = 0; k < item->members; k++)
        s->out->steps[(size_t)s->issued.iteration * s->plan.insns.count + item->insn + k] = step;
}

/* An item that is one µop, which computes or loads. Returns when it is done. */
static inline int32_t run_one(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    const struct plan_uop *uop = &s->plan.uops.items[item->first_uop];
    unsigned port = bind(s, uop, slot);
    int32_t at = place_uop(s, uop, port, sources_ready(s, uop, s->now + AT_RENAME)), done = at + item->after;
    const struct plan_telling *telling = &s->plan.tellings.items[item->first_told], *end = telling + item->told;

    s->order.first = at;
    for (; telling < end; telling++) {
        int32_t value = at + telling->after;
        if (telling->trails) {
            value = with_trails(s, &s->plan.nodes.items[telling->node], value, at);
            done = later(done, value);
        }
        tell(s, telling->node, value, at);
    }
    return done;
}

/* Any other. */
static __attribute__((noinline)) int32_t run_several(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    struct course course;
    int32_t known = s->now;

    run_uops(s, item, slot, &course);
    s->order.first = course.first;
    int32_t done = tell_values(s, item, &course, &known);
    if (item->listed[NODE_EARLY])
        tell_early(s, item);
    return later(done, known);
}

/* An item without µops. */
static inline int32_t run_none(struct simulator *s, const struct plan_item *item)
{
    s->order.first = s->now;
    if (item->listed[NODE_EARLY])
        tell_early(s, item);
    return s->now;
}

/* The item at rename, from @slot of the cycle on: all that follows from it. Returns when it is done. */
static inline __attribute__((always_inline)) int32_t run_item(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    int32_t done = item->direct ? run_one(s, item, slot) : item->uops ? run_several(s, item, slot) : run_none(s, item);

    retire(s, item, done + 1);
    s->order.room -= item->takes;
    return done;
}

static inline __attribute__((always_inline)) void enter(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    run_item(s, item, slot);
}

/* The same beside a timeline. */
static void enter_noted(struct simulator *s, const struct plan_item *item, unsigned slot)
{
    int32_t done = run_item(s, item, slot);

    if (s->issued.iteration < (int64_t)s->timeline)
        keep_steps(s, item, done);
}

static inline void begin_iteration(struct simulator *s)
{
    struct order *o = &s->order;

    o->here += s->plan.nodes.count;
    if (--o->rows)
        return;
    memmove(o->values, o->here - o->kept, o->kept * sizeof *o->values);
    o->here = o->values + o->kept;
    o->rows = 4 * s->plan.longest_distance + 16;
}

/* In use of @size entries. */
static int32_t used(uint64_t room, int32_t size, enum lane lane)
{
    return size - (int32_t)((uint16_t)(room >> lane) - (uint16_t)LANE_ZERO);
}

void order_count(struct simulator *s)
{
    uint64_t room = s->order.room;

    s->rob = order_in_flight(s);
    s->scheduler = used(room, s->scheduler_size, LANE_SCHEDULER);
    s->loads = used(room, s->load_size, LANE_LOADS);
    s->stores = used(room, s->store_size, LANE_STORES);
}

/* What obstacle (slots.h) says, from the lanes. */
static inline double *find_obstacle(struct simulator *s, const struct plan_item *item)
{
    uint64_t lacking = ~(s->order.room - item->needs) & LANE_ZERO, rob = LANE_ZERO & in_lane(UINT16_MAX, LANE_ROB);

    if (!lacking)
        return NULL;
    if (lacking & rob && order_in_flight(s))
        return &s->out->stalls_rob;
    return lacking & ~rob ? &s->out->stalls_scheduler : NULL;
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
#define FEW_FOURS 4   /* of ports, as many as there mostly are: in a row, without a loop */

/* The µops that are bound to @ports are one less each. */
static inline void count_gone(struct simulator *s, portset ports)
{
    static const four ones[16] = {
        {0, 0, 0, 0}, {BOUND_ONE, 0, 0, 0}, {0, BOUND_ONE, 0, 0}, {BOUND_ONE, BOUND_ONE, 0, 0},
        {0, 0, BOUND_ONE, 0}, {BOUND_ONE, 0, BOUND_ONE, 0}, {0, BOUND_ONE, BOUND_ONE, 0}, {BOUND_ONE, BOUND_ONE, BOUND_ONE, 0},
        {0, 0, 0, BOUND_ONE}, {BOUND_ONE, 0, 0, BOUND_ONE}, {0, BOUND_ONE, 0, BOUND_ONE}, {BOUND_ONE, BOUND_ONE, 0, BOUND_ONE},
        {0, 0, BOUND_ONE, BOUND_ONE}, {BOUND_ONE, 0, BOUND_ONE, BOUND_ONE}, {0, BOUND_ONE, BOUND_ONE, BOUND_ONE}, {BOUND_ONE, BOUND_ONE, BOUND_ONE, BOUND_ONE},
    };
    four *gone = (four *)s->order.gone;

#pragma GCC unroll 4
    for (unsigned i = 0; i < FEW_FOURS; i++)
        gone[i] += ones[ports >> 4 * i & 15];
    for (unsigned i = FEW_FOURS; i < s->order.fours; i++)
        gone[i] += ones[ports >> 4 * i & 15];
}

static inline void no_beginning(struct simulator *s)
{
    (void)s;
}

/* The µops that were bound in this cycle count from now on. One by one, and read one by one: together they could not be loaded before all of them are in the cache. */
static inline void count_coming(struct simulator *s)
{
    for (size_t i = 0; i < s->order.coming_count; i++)
        s->order.came[s->order.coming[i]] += BOUND_ONE;
    s->order.coming_count = 0;
}

/* What has been told to happen in this cycle. */
static inline void come_due(struct simulator *s)
{
    struct order *o = &s->order;
    struct due *due = due_in(o, s->now);
    uint64_t now = (uint64_t)s->now, retired = (uint32_t)due->gone;

    o->room += due->room;
    s->retired.number += (int64_t)retired;
    s->leaving += (int32_t)(due->gone >> 32);
    o->retirement -= retired * now;
    o->content -= due->term;
    o->times -= due->term * now;
    if (due->goes)
        count_gone(s, due->goes);
    *due = (struct due){0};
    if (s->now % 64 == 0)
        for (unsigned port = 0; port < s->core->ports->count; port++)
            o->taken[port][(uint32_t)(s->now - 64) / 64 % AHEAD_WORDS] = 0;
}

/* The next cycle, behind rename. */
static inline void begin_cycle(struct simulator *s)
{
    s->now++;
    s->moved = false;
    if (s->leaving || s->cache.busy) {
        int32_t before = s->leaving;
        retire_commit(s);
        s->order.room += in_lane((uint64_t)(before - s->leaving), LANE_STORES);
    }
    come_due(s);
}

void order_cycle(struct simulator *s)
{
    begin_cycle(s);
    s->order.limit = s->now + FAR;
    rename_items(s, (struct entrance){find_obstacle, enter_noted, begin_iteration, no_beginning});
    count_coming(s);
}

bool order_cycles(struct simulator *s, int32_t last, int64_t retired)
{
    int64_t iteration = s->issued.iteration;
    bool waiting = false;   /* for room, and in front of rename nothing moves any more */

    do {
        begin_cycle(s);
        if (waiting && (s->stall = find_obstacle(s, &s->plan.items.items[s->issued.index])) != NULL) {
            *s->stall += 1;
            continue;
        }
        s->order.limit = s->now + FAR;
        rename_items(s, (struct entrance){find_obstacle, enter, begin_iteration, no_beginning});
        count_coming(s);
        bool moved = front_cycle(&s->front);
        if (!s->stall)
            continue;
        *s->stall += 1;
        if (!moved && !s->moved && !s->leaving && s->retired.number == s->issued.number)
            return false;
        waiting = !moved && s->stall != &s->out->stalls_front;
    } while (s->issued.iteration == iteration && s->retired.number < retired && s->now < last && !s->order.lost);
    return true;
}

void order_end(struct simulator *s)
{
    forget(s);
}
