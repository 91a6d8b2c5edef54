/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulate_plan.h"
#include "base/vec.h"

#define LIMIT_CYCLES 60000      /* without a repeated state the mean is taken */
#define LIMIT_ITEMS 16000       /* renamed, at least LIMIT_ITERATIONS of the block */
#define LIMIT_ITERATIONS 500
#define COUNTS 2048             /* a power of two well above the iterations */
#define AT_RENAME 1             /* cycles from rename to the first chance at a port, at least */
enum { PORT_NONE = -1, PORT_LATE = -2 };

#define COMMIT_OVERLAP 2        /* of the wait for a store to reach the cache, cycles that retirement takes here */

/* An item of one iteration between delivery and retirement. */
struct flight {
    int32_t fetch, issue, first, last, load, done;   /* cycles; UNKNOWN until then */
    int32_t compute_first, compute_last;
    uint32_t pending, computing;                     /* µops not dispatched yet; those that compute */
};

/* A µop in the scheduler. */
struct waiting {
    int64_t number;       /* of the item, over all iterations */
    int64_t iteration;
    const struct plan_item *item;
    struct flight *flight;
    uint32_t uop;
    uint8_t kind;
    int8_t port;          /* bound at rename; PORT_NONE: a UOP_RENAMED entry, which takes no place; PORT_LATE: any that is free */
    const int32_t *open;  /* a time that is not known yet; NULL: look again each cycle */
    int32_t ready;        /* UNKNOWN: a source has no time yet */
};

/* What the scan over the scheduler looks at each cycle, close together. */
struct place {
    const int32_t *open;  /* as in the µop */
    int32_t ready;
    uint16_t index;       /* in the pool */
};

struct snapshot {
    uint64_t hash;              /* of its counts */
    size_t start, length;       /* in states */
    int64_t iteration;
    int32_t cycle;
};

struct simulator {
    struct plan plan;
    struct front front;
    const struct core *core;
    int32_t now;
    int64_t issued, retired;           /* items */
    uint32_t slots_done;               /* of the item at rename */
    int32_t rob, scheduler, loads, stores, leaving;   /* entries in use; stores retired but not in the cache */
    int32_t bound[PORTS_MAX];          /* µops bound to each port and not dispatched */
    int32_t pipe_free[PORTS_MAX];
    int32_t rob_size, scheduler_size, load_size, store_size, issue_width, retire_width, commit_width;
    struct flight *flights;
    size_t flight_mask;
    int32_t *values;                   /* time of each node, by iteration */
    size_t value_rows, value_capacity, flight_capacity;
    VEC(struct waiting) pool;          /* the schedulers' entries, in places that do not move */
    VEC(struct place) order;           /* places in use, oldest first */
    VEC(uint16_t) unused;
    VEC(int32_t) states;
    VEC(struct snapshot) snapshots;
    uint64_t counts[COUNTS];           /* hashes of the counts seen, 0: none */
    struct simulation *out;
    uint32_t timeline;
    uint8_t check_every;               /* iterations between looks for a repeated state */
    uint8_t load_turn;                 /* port of the last load */
    double busy[PORTS_MAX];
    struct { double busy[PORTS_MAX], front, rob, scheduler; int64_t iteration; } mark;   /* what there was when the steady state began */
    bool late;                         /* ports are taken at dispatch: not Intel */
    bool moved;                        /* anything happened in this cycle */
    double *stall;                     /* what held rename in this cycle; NULL: nothing */
};

struct simulator *simulator_new(void)
{
    return mem_zero(1, sizeof(struct simulator));
}

void simulator_free(struct simulator *s)
{
    if (!s)
        return;
    plan_done(&s->plan);
    free(s->flights);
    free(s->values);
    vec_done(&s->pool);
    vec_done(&s->order);
    vec_done(&s->unused);
    vec_done(&s->states);
    vec_done(&s->snapshots);
    free(s);
}

void simulation_done(struct simulation *sim)
{
    free(sim->steps);
    sim->steps = NULL;
}

static struct flight *flight_of(struct simulator *s, int64_t item)
{
    return &s->flights[(size_t)item & s->flight_mask];
}

static int32_t *value_of(struct simulator *s, int64_t iteration, uint32_t node)
{
    return &s->values[((size_t)iteration & (s->value_rows - 1)) * s->plan.node_count + node];
}

/* When the source of @edge is there for an item of @iteration; long ago before the first iteration. */
static int32_t source_of(struct simulator *s, const struct plan_edge *edge, int64_t iteration)
{
    int64_t from = iteration - (int64_t)edge->distance;
    return from < 0 ? 0 : *value_of(s, from, edge->from);
}

static const struct plan_item *item_of(const struct simulator *s, int64_t item, int64_t *iteration)
{
    *iteration = item / (int64_t)s->plan.item_count;
    return &s->plan.items[item % (int64_t)s->plan.item_count];
}

static int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t overlap(const struct simulator *s, const struct plan_edge *edge)
{
    return s->plan.node_kind[edge->from] == NODE_AT_RETIREMENT ? COMMIT_OVERLAP : 0;
}

/* The cycle from which the µop could run, UNKNOWN while a source is open. */
static int32_t ready_time(struct simulator *s, struct waiting *w)
{
    int64_t iteration = w->iteration;
    const struct plan_item *item = w->item;
    const struct flight *flight = w->flight;
    int32_t ready = flight->issue + (w->kind == UOP_RENAMED ? 0 : AT_RENAME);

    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++) {
        const struct plan_edge *edge = &s->plan.edges[e];
        uint8_t to = s->plan.node_kind[edge->to];
        bool address = edge->end == LATENCY_ADDRESS && item->load + item->store > 0, memory = edge->end == LATENCY_MEMORY;
        if (edge->end == LATENCY_COMMIT || edge->minor || (to == NODE_EARLY) != (w->kind == UOP_RENAMED))
            continue;
        if (w->kind == UOP_LOAD ? !address && !memory : w->kind == UOP_ADDRESS ? !address : w->kind == UOP_DATA ? address || memory : false)
            continue;
        int64_t from = iteration - (int64_t)edge->distance;
        int32_t source = 0;
        if (from >= 0) {
            w->open = value_of(s, from, edge->from);
            source = *w->open;
        }
        if (source == UNKNOWN)
            return UNKNOWN;
        if (w->kind == UOP_LOAD)
            source += memory ? edge->before - item->load_latency - overlap(s, edge) : 0;
        else if (w->kind == UOP_COMPUTE)
            source += edge->before + edge->operation - s->plan.node_latency[edge->to];
        else if (w->kind == UOP_RENAMED)
            source += edge->before + edge->operation;
        ready = later(ready, source);
    }
    w->open = &flight->load;
    if (item->load && (w->kind == UOP_COMPUTE || (w->kind == UOP_DATA && !flight->computing))) {
        if (flight->load == UNKNOWN)
            return UNKNOWN;
        ready = later(ready, flight->load + item->load_latency);
    }
    if (w->kind == UOP_DATA && flight->compute_first != UNKNOWN)
        ready = later(ready, later(flight->compute_first + item->latency, flight->compute_last + 1));
    if (w->kind == UOP_DATA && flight->computing) {
        w->open = NULL;
        return UNKNOWN;
    }
    return ready;
}

/* A pure load's value: address or forwarded store, then the way to the register. */
static int32_t load_result(struct simulator *s, const struct plan_item *item, int64_t iteration, const struct flight *flight, uint32_t node)
{
    int32_t ready = flight->load + item->load_latency;
    for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++) {
        const struct plan_edge *edge = &s->plan.edges[e];
        if (edge->to != node || edge->end == LATENCY_COMMIT)
            continue;
        int32_t source = source_of(s, edge, iteration);
        if (source != UNKNOWN)
            ready = later(ready, source + edge->before + edge->operation - overlap(s, edge));
    }
    return ready;
}

/* What only one of several µops waits for still delays that µop's value. */
static int32_t with_minor(struct simulator *s, const struct waiting *w, uint32_t node, int32_t value)
{
    for (uint32_t e = w->item->first_edge; e < w->item->first_edge + w->item->edges; e++) {
        const struct plan_edge *edge = &s->plan.edges[e];
        int32_t source = edge->minor && edge->to == node ? source_of(s, edge, w->iteration) : UNKNOWN;
        if (source != UNKNOWN)
            value = later(value, source + edge->operation);
    }
    return value;
}

/* Sets what is known now that another µop of the item has been dispatched. */
static void publish(struct simulator *s, const struct waiting *w)
{
    int64_t iteration = w->iteration;
    const struct plan_item *item = w->item;
    struct flight *flight = w->flight;

    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++) {
        int32_t *value = value_of(s, iteration, n);
        uint8_t kind = s->plan.node_kind[n];
        if (*value != UNKNOWN || kind == NODE_AT_RETIREMENT || kind == NODE_EARLY)
            continue;
        if (kind == NODE_STORED ? flight->pending > 0 : flight->computing > 0 || (item->load && flight->load == UNKNOWN))
            continue;
        if (kind == NODE_STORED)
            *value = flight->last;
        else if (flight->compute_first != UNKNOWN)
            *value = later(flight->compute_first + s->plan.node_latency[n], flight->compute_last + 1);
        else if (flight->load != UNKNOWN)
            *value = load_result(s, item, iteration, flight, n);
        else
            *value = s->now + s->plan.node_latency[n];
        *value = with_minor(s, w, n, *value);
        flight->done = later(flight->done, *value);
    }
    if (!flight->pending)
        flight->done = later(flight->done, flight->last + 1);
}

/* Values that rename knows follow their sources at once. */
static void publish_renamed(struct simulator *s, const struct waiting *w)
{
    const struct plan_item *item = w->item;

    s->moved = true;
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++)
        if (s->plan.node_kind[n] == NODE_EARLY)
            *value_of(s, w->iteration, n) = w->ready;
}

/* Counts a µop where it waits: on its port, or on each that it could take. */
static void demand(struct simulator *s, int8_t port, portset ports, int change)
{
    for (portset rest = port == PORT_LATE ? ports : (portset)1 << port; rest; rest &= rest - 1)
        s->bound[__builtin_ctz(rest)] += change;
}

static void dispatch(struct simulator *s, const struct waiting *w)
{
    const struct plan_uop *uop = &s->plan.uops[w->uop];
    struct flight *flight = w->flight;

    s->moved = true;
    s->busy[w->port]++;
    demand(s, s->late ? PORT_LATE : w->port, uop->ports, -1);
    s->scheduler--;
    flight->pending--;
    flight->first = flight->first == UNKNOWN ? s->now : flight->first;
    flight->last = s->now;
    if (uop->pipe) {
        unsigned pipe = (unsigned)__builtin_ctz(uop->pipe);
        s->pipe_free[pipe] = s->now + uop->hold;
        s->busy[pipe] += uop->hold - (uop->pipe == uop->ports);   /* a port that is held was counted once */
    }
    if (w->kind == UOP_LOAD)
        flight->load = s->now;
    if (w->kind == UOP_COMPUTE) {
        flight->computing--;
        flight->compute_first = flight->compute_first == UNKNOWN ? s->now : flight->compute_first;
        flight->compute_last = s->now;
    }
    publish(s, w);
}

/* The port itself, and the pipe that the µop also needs. */
static int32_t held_until(const struct simulator *s, const struct waiting *w, int8_t port)
{
    portset pipe = s->plan.uops[w->uop].pipe;
    return pipe ? later(s->pipe_free[port], s->pipe_free[__builtin_ctz(pipe)]) : s->pipe_free[port];
}

/* Of the ports the µop can take now the one that least is waiting for. */
static int8_t free_port(const struct simulator *s, const struct waiting *w, portset taken)
{
    int8_t best = PORT_NONE;
    for (portset rest = s->plan.uops[w->uop].ports & ~taken; rest; rest &= rest - 1) {
        int8_t port = (int8_t)__builtin_ctz(rest);
        if (held_until(s, w, port) <= s->now && (best == PORT_NONE || s->bound[port] < s->bound[best]))
            best = port;
    }
    return best;
}

/* Each port takes the oldest µop bound to it that is ready. */
static void execute(struct simulator *s)
{
    portset taken = 0;
    size_t kept = 0;

    for (size_t i = 0; i < s->order.count; i++) {
        struct place *at = &s->order.items[i];
        if (at->ready == UNKNOWN ? at->open && *at->open == UNKNOWN : at->ready > s->now) {
            s->order.items[kept++] = *at;
            continue;
        }
        struct waiting *w = &s->pool.items[at->index];
        if (w->ready == UNKNOWN)
            at->ready = w->ready = ready_time(s, w);
        at->open = w->open;
        if (w->port == PORT_NONE) {
            if (w->ready == UNKNOWN) {
                s->order.items[kept++] = *at;
            } else {
                publish_renamed(s, w);
                vec_push(&s->unused, at->index);
            }
            continue;
        }
        int8_t port = w->ready > s->now ? PORT_NONE : w->port == PORT_LATE ? free_port(s, w, taken) : w->port;
        if (port == PORT_NONE || taken >> port & 1 || held_until(s, w, port) > s->now) {
            s->order.items[kept++] = *at;
            continue;
        }
        taken |= (portset)1 << port;
        w->port = port;
        dispatch(s, w);
        vec_push(&s->unused, at->index);
    }
    s->order.count = kept;
}

/* Ports are bound at rename to those with the least waiting; the second and fourth µop of a cycle take the next best unless that is much
 * worse (as measured on Skylake, uiCA, ICS 2022). */
static int8_t bind_port(portset ports, unsigned slot, const int32_t *before)
{
    int best = -1, next = -1;

    for (int port = PORTS_MAX - 1; port >= 0; port--) {
        if (!(ports >> port & 1))
            continue;
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

static void add_waiting(struct simulator *s, struct waiting w)
{
    uint16_t place = s->unused.count ? s->unused.items[--s->unused.count] : (uint16_t)s->pool.count;

    if (place == s->pool.count)
        vec_push(&s->pool, w);
    s->pool.items[place] = w;
    vec_push(&s->order, ((struct place){w.open, w.ready, place}));
}

/* Loads take their ports by turns. */
static int8_t next_in_turn(struct simulator *s, portset ports)
{
    portset above = ports & ~(((portset)2 << s->load_turn) - 1);
    s->load_turn = (uint8_t)__builtin_ctz(above ? above : ports);
    return (int8_t)s->load_turn;
}

static void enter(struct simulator *s, int64_t number, unsigned slot, const int32_t *before)
{
    int64_t iteration;
    const struct plan_item *item = item_of(s, number, &iteration);
    struct flight *flight = flight_of(s, number);

    flight->issue = flight->done = flight->last = s->now;
    flight->first = flight->load = flight->compute_first = flight->compute_last = UNKNOWN;
    flight->pending = item->uops;
    flight->computing = 0;
    unsigned computing = 0;   /* a load shares the slot of the operation it is fused with */
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++)
        *value_of(s, iteration, n) = UNKNOWN;
    for (uint32_t u = item->first_uop; u < item->first_uop + item->uops; u++) {
        const struct plan_uop *uop = &s->plan.uops[u];
        int8_t port = s->late ? PORT_LATE : uop->kind == UOP_LOAD ? next_in_turn(s, uop->ports) : bind_port(uop->ports, slot + computing, before);
        computing += uop->kind == UOP_COMPUTE;
        demand(s, port, uop->ports, 1);
        add_waiting(s, ((struct waiting){number, iteration, item, flight, u, uop->kind, port, NULL, UNKNOWN}));
    }
    flight->computing = computing;
    if (item->early)
        add_waiting(s, ((struct waiting){number, iteration, item, flight, 0, UOP_RENAMED, PORT_NONE, NULL, UNKNOWN}));
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

static void rename_items(struct simulator *s)
{
    int32_t slots = s->issue_width, before[PORTS_MAX];
    unsigned slot = 0;

    memcpy(before, s->bound, sizeof before);
    s->stall = NULL;
    while (slots > 0) {
        int64_t iteration;
        if (s->issued >= s->front.delivered || flight_of(s, s->issued)->fetch >= s->now) {
            s->stall = slots == s->issue_width ? &s->out->stalls_front : NULL;
            return;
        }
        const struct plan_item *item = item_of(s, s->issued, &iteration);
        if (!s->slots_done && s->rob + (int32_t)item->issue > s->rob_size && s->rob) {
            s->stall = slots == s->issue_width ? &s->out->stalls_rob : NULL;
            return;
        }
        if (!s->slots_done && (s->scheduler + scheduler_need(item) > s->scheduler_size || s->loads + item->load > s->load_size ||
                               s->stores + item->store > s->store_size)) {
            s->stall = slots == s->issue_width ? &s->out->stalls_scheduler : NULL;
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
        enter(s, s->issued, slot - take, before);
        s->slots_done = 0;
        s->issued++;
    }
}

static void set_commit_times(struct simulator *s, const struct plan_item *item, int64_t iteration)
{
    for (uint32_t n = item->first_node; n < item->first_node + item->nodes; n++) {
        if (s->plan.node_kind[n] != NODE_AT_RETIREMENT)
            continue;
        int32_t ready = s->now;
        for (uint32_t e = item->first_edge; e < item->first_edge + item->edges; e++) {
            const struct plan_edge *edge = &s->plan.edges[e];
            int32_t source = edge->to == n ? source_of(s, edge, iteration) : 0;
            if (edge->to == n && source != UNKNOWN && s->plan.node_kind[edge->from] != NODE_AT_RETIREMENT)
                ready = later(ready, source + edge->operation);
        }
        *value_of(s, iteration, n) = ready;
    }
}

static void keep_step(struct simulator *s, const struct plan_item *item, int64_t iteration, const struct flight *flight)
{
    if (iteration >= (int64_t)s->timeline)
        return;
    for (uint32_t k = 0; k < item->members; k++)
        s->out->steps[(size_t)iteration * s->plan.insn_count + item->insn + k] =
            (struct simulated_step){flight->fetch, flight->issue, flight->first == UNKNOWN ? flight->issue : flight->first, flight->done, s->now};
}

static void retire(struct simulator *s)
{
    int32_t slots = s->retire_width;
    int32_t committed = s->leaving < s->commit_width ? s->leaving : s->commit_width;

    s->moved |= committed > 0;
    s->leaving -= committed;
    s->stores -= committed;
    while (slots > 0 && s->retired < s->issued) {
        int64_t iteration;
        const struct plan_item *item = item_of(s, s->retired, &iteration);
        const struct flight *flight = flight_of(s, s->retired);
        if (flight->pending || flight->done >= s->now)
            return;
        /* What takes more slots than a cycle has is counted whole. */
        slots -= (int32_t)item->issue;
        s->rob -= (int32_t)item->issue;
        s->loads -= item->load;
        s->leaving += item->store;
        s->moved = true;
        set_commit_times(s, item, iteration);
        keep_step(s, item, iteration, flight);
        s->retired++;
    }
}

static void on_delivered(void *state, int64_t item)
{
    struct simulator *s = state;
    flight_of(s, item)->fetch = s->now;
}

static int32_t since(const struct simulator *s, int32_t cycle)
{
    return cycle == UNKNOWN ? UNKNOWN : cycle > s->now ? cycle - s->now : 0;
}

/* What of the state can be told by counting, relative to iteration @base. */
static void write_counts(struct simulator *s, int64_t base)
{
    int64_t first = base * (int64_t)s->plan.item_count;
    int32_t front[FRONT_STATE];
    size_t n = front_state(&s->front, base, front);

    for (size_t i = 0; i < n; i++)
        vec_push(&s->states, front[i]);
    vec_push(&s->states, (int32_t)(s->retired - first));
    vec_push(&s->states, (int32_t)s->slots_done);
    vec_push(&s->states, s->loads << 16 | s->stores);
    vec_push(&s->states, s->leaving << 8 | s->load_turn);
    for (unsigned i = 0; i < s->core->ports->count; i++) {
        vec_push(&s->states, s->bound[i]);
        vec_push(&s->states, since(s, s->pipe_free[i]));
    }
}

/* The rest of what decides the future, relative to now and to iteration @base. */
static void write_state(struct simulator *s, int64_t base)
{
    int64_t first = base * (int64_t)s->plan.item_count;

    for (size_t i = 0; i < s->order.count; i++) {
        const struct waiting *w = &s->pool.items[s->order.items[i].index];
        vec_push(&s->states, (int32_t)(w->number - first));
        vec_push(&s->states, (int32_t)(w->uop << 8) | (w->port & 0xff));
        vec_push(&s->states, since(s, w->ready));
    }
    for (int64_t item = s->retired; item < s->issued; item++) {
        const struct flight *flight = flight_of(s, item);
        if (!flight->pending && flight->done <= s->now)
            continue;
        vec_push(&s->states, (int32_t)(item - first));
        vec_push(&s->states, since(s, flight->done));
        vec_push(&s->states, (int32_t)(flight->pending << 16 | flight->computing));
        vec_push(&s->states, flight->load == UNKNOWN ? UNKNOWN : later(flight->load - s->now, -64));
        vec_push(&s->states, flight->compute_first == UNKNOWN ? UNKNOWN : later(flight->compute_first - s->now, -256));
    }
    int64_t from = s->retired / (int64_t)s->plan.item_count - (int64_t)s->plan.longest_distance;
    for (int64_t iteration = from < 0 ? 0 : from; iteration <= base; iteration++) {
        const int32_t *values = value_of(s, iteration, 0);
        for (uint32_t node = 0; node < s->plan.node_count; node++)
            if (values[node] > s->now) {   /* those in the past are all alike */
                vec_push(&s->states, (int32_t)((base - iteration) * (int64_t)s->plan.node_count + node));
                vec_push(&s->states, since(s, values[node]));
            }
    }
}

static uint64_t hash_states(const struct simulator *s, size_t from)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = from; i + 1 < s->states.count; i += 2)
        hash = (hash ^ hash >> 31 ^ ((uint64_t)(uint32_t)s->states.items[i] << 32 | (uint32_t)s->states.items[i + 1])) * 0x9e3779b97f4a7c15u;
    return hash;
}

/* The counts alone differ while queues fill, which takes most of the time: the whole state is written down from the second time on that
 * its counts are seen. */
static bool counts_seen(struct simulator *s, uint64_t hash)
{
    size_t at = hash >> 32 & (COUNTS - 1);
    for (size_t probe = 0; probe < 8; probe++, at = (at + 1) & (COUNTS - 1)) {
        if (s->counts[at] == hash)
            return true;
        if (!s->counts[at]) {
            s->counts[at] = hash;
            return false;
        }
    }
    return true;
}

/* True when the state was there before: fills the result. */
static bool repeats(struct simulator *s, int64_t base)
{
    size_t start = s->states.count;

    write_counts(s, base);
    uint64_t hash = hash_states(s, start);
    if (!counts_seen(s, hash)) {
        s->states.count = start;
        return false;
    }
    write_state(s, base);
    size_t length = s->states.count - start;
    for (size_t i = s->snapshots.count; i-- > 0;) {
        const struct snapshot *old = &s->snapshots.items[i];
        if (old->hash != hash || old->length != length || memcmp(&s->states.items[old->start], &s->states.items[start], length * sizeof(int32_t)) != 0)
            continue;
        s->out->period = (unsigned)(base - old->iteration);
        s->out->numerator = s->now - old->cycle;
        s->out->cycles = (double)s->out->numerator / s->out->period;
        return true;
    }
    vec_push(&s->snapshots, ((struct snapshot){hash, start, length, base, s->now}));
    return false;
}

static int32_t size_of(double fact, int32_t otherwise)
{
    return isnan(fact) ? otherwise : (int32_t)fact;
}

static size_t power_of_two(size_t least)
{
    size_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static void start(struct simulator *s, const struct block_work *w, const struct insn *insns, size_t count, const struct block_options *block)
{
    const struct core *c = w->core;

    s->core = c;
    plan_build(&s->plan, w, insns, count);
    struct frontend bound;
    frontend_bound(c, insns, &w->costs, block->shape, block->align, &bound);
    front_start(&s->front, &s->plan, w, insns, block, &bound);
    s->now = 0;
    s->load_turn = 0;
    s->check_every = (uint8_t)power_of_two(12 / s->plan.item_count);
    s->issued = s->retired = s->slots_done = 0;
    s->rob = s->scheduler = s->loads = s->stores = s->leaving = 0;
    memset(s->bound, 0, sizeof s->bound);
    memset(s->pipe_free, 0, sizeof s->pipe_free);
    memset(s->busy, 0, sizeof s->busy);
    memset(&s->mark, 0, sizeof s->mark);
    s->rob_size = size_of(c->reorder_buffer, 256);
    s->scheduler_size = size_of(c->scheduler, 96);
    s->load_size = size_of(c->load_buffer, 72);
    s->store_size = size_of(c->store_buffer, 56);
    s->issue_width = size_of(c->issue_width, 4);
    s->retire_width = size_of(c->retire_width, s->issue_width);
    s->commit_width = size_of(c->stores_per_cycle, s->issue_width);   /* not known: no limit of its own */
    s->late = !c->fused_domain;
    size_t flights = power_of_two((size_t)(s->rob_size + size_of(c->uop_queue, 64) + 64));
    if (s->flight_capacity < flights) {
        s->flight_capacity = flights;
        s->flights = mem_resize(s->flights, flights * sizeof *s->flights);
    }
    s->flight_mask = flights - 1;
    s->value_rows = power_of_two(flights / s->plan.item_count + s->plan.longest_distance + 3);
    if (s->value_capacity < s->value_rows * (s->plan.node_count + 1)) {
        s->value_capacity = s->value_rows * (s->plan.node_count + 1);
        s->values = mem_resize(s->values, s->value_capacity * sizeof *s->values);
    }
    for (size_t i = 0; i < s->value_rows * s->plan.node_count; i++)
        s->values[i] = UNKNOWN;
    s->pool.count = s->order.count = s->unused.count = s->states.count = s->snapshots.count = 0;
    memset(s->counts, 0, sizeof s->counts);
}

/* The first cycle after now in which anything can happen, when nothing did in this one. */
static int32_t next_event(struct simulator *s)
{
    int32_t next = UNKNOWN;

    for (size_t i = 0; i < s->order.count; i++) {
        const struct waiting *w = &s->pool.items[s->order.items[i].index];
        if (w->ready == UNKNOWN || w->port == PORT_NONE)
            continue;
        int32_t at = UNKNOWN;
        for (portset rest = w->port == PORT_LATE ? s->plan.uops[w->uop].ports : (portset)1 << w->port; rest; rest &= rest - 1) {
            int32_t free = later(w->ready, held_until(s, w, (int8_t)__builtin_ctz(rest)));
            at = free < at ? free : at;
        }
        next = at > s->now && at < next ? at : next;
    }
    if (s->retired < s->issued) {
        const struct flight *oldest = flight_of(s, s->retired);
        if (!oldest->pending && oldest->done + 1 > s->now && oldest->done + 1 < next)
            next = oldest->done + 1;
    }
    return next;
}

/* From here on the state is steady, or as near to it as is known: averages begin. */
static void mark(struct simulator *s, int64_t iteration)
{
    memcpy(s->mark.busy, s->busy, sizeof s->busy);
    s->mark.front = s->out->stalls_front;
    s->mark.rob = s->out->stalls_rob;
    s->mark.scheduler = s->out->stalls_scheduler;
    s->mark.iteration = iteration;
}

/* Runs until the state repeats, @limit iterations have been renamed, or the limit of cycles. */
static void run(struct simulator *s, int64_t limit, bool stop_when_known)
{
    int64_t checked = 0, middle = limit - limit / 4;   /* a scheduler that fills slowly takes most of the time to show */
    int32_t middle_cycle = 0;
    bool known = false;

    while (s->now < LIMIT_CYCLES && s->issued < limit * (int64_t)s->plan.item_count) {
        s->now++;
        s->moved = false;
        retire(s);
        execute(s);
        int64_t before = s->issued / (int64_t)s->plan.item_count;
        rename_items(s);
        s->moved |= front_cycle(&s->front, on_delivered, s);
        if (s->stall)
            *s->stall += 1;
        if (!s->moved && !s->leaving) {
            int32_t next = next_event(s);
            if (next == UNKNOWN) {
                s->out->cycles = NAN;
                return;
            }
            if (s->stall)
                *s->stall += next - s->now - 1;
            s->now = next - 1;
        }
        int64_t iteration = s->issued / (int64_t)s->plan.item_count;
        if (iteration == before)
            continue;
        s->out->iterations = (unsigned)iteration;
        if (before < middle && iteration >= middle) {
            middle_cycle = s->now;
            middle = iteration;
            if (!known)
                mark(s, iteration);
        }
        if (!known && iteration >= checked + s->check_every) {
            known = repeats(s, iteration);
            checked = iteration;
            if (known)
                mark(s, iteration);
        }
        /* Who wants to see it also wants averages of a whole period. */
        if (known && stop_when_known && s->retired >= (int64_t)(s->timeline * s->plan.item_count) && (!s->timeline || iteration >= s->mark.iteration + s->out->period))
            return;
    }
    int64_t iteration = s->issued / (int64_t)s->plan.item_count;
    if (!known)
        s->out->cycles = iteration > middle && middle_cycle ? (double)(s->now - middle_cycle) / (double)(iteration - middle) : iteration ? (double)s->now / (double)iteration : NAN;
}

void simulate(struct simulator *s, const struct block_work *w, const struct insn *insns, size_t count, const struct block_options *block,
              const struct simulate_options *options, struct simulation *out)
{
    int64_t limit = later(LIMIT_ITERATIONS, (int32_t)(LIMIT_ITEMS / (count + 1)));

    if (options->iterations)
        limit = options->iterations;
    *out = (struct simulation){.cycles = 0, .period = 1};
    if (!count)
        return;
    out->period = 0;
    s->out = out;
    start(s, w, insns, count, block);
    s->timeline = options->timeline < limit ? options->timeline : (uint32_t)limit;
    out->step_iterations = s->timeline;
    if (s->timeline)
        out->steps = mem_zero(s->timeline * count, sizeof *out->steps);
    run(s, limit, true);
    double iterations = out->iterations > s->mark.iteration ? (double)(out->iterations - s->mark.iteration) : 1;
    for (unsigned i = 0; i < w->core->ports->count; i++)
        out->busy[i] = (s->busy[i] - s->mark.busy[i]) / iterations;
    out->stalls_front = (out->stalls_front - s->mark.front) / iterations;
    out->stalls_rob = (out->stalls_rob - s->mark.rob) / iterations;
    out->stalls_scheduler = (out->stalls_scheduler - s->mark.scheduler) / iterations;
}
