/* Internal to simulate/: the machine's state from cycle to cycle. In a cycle first retirement, then the ports, then rename, then the front end
 * have their turn. What happens behind rename is found in one of two ways.
 *
 * By events (execute.c, retire.c), as every core can be: a value that becomes known tells its readers, a µop whose last source is known lies in the
 * calendar until its cycle comes, and from then in the queue of those that can go to the same ports.
 *
 * In program order (order.c), where ports are bound at rename: as the oldest that is ready has the port, a µop never waits for a younger one, so that the cycle in which it
 * goes to its port, and with it all that follows for its instruction, is known at rename. */
#ifndef PORTOLAN_SIMULATE_STATE_H
#define PORTOLAN_SIMULATE_STATE_H

#include "simulate/plan.h"

#define CALENDAR 256            /* cycles ahead, a power of two; what is later comes up early and goes back */
#define SEEN 4096               /* places for hashes, a power of two */
#define KEPT 1024               /* a power of two, from 64 on */
#define AT_RENAME 1             /* cycles from rename to the first chance at a port, at least */
#define CACHE_LOADS 4           /* of a cycle */
#define AHEAD 4096              /* cycles that µops can be told where to go in, a power of two */
#define AHEAD_WORDS (AHEAD / 64)
#define HOLD_MOST 512           /* cycles that a pipe may be held in program order */
#define DISPATCHED UINT16_MAX
#define NOBODY UINT32_MAX
#define BOUND_ONE 256u
#define SETTLE_BUFFERS 5        /* watched while they fill */
#define TURN 0x9e3779b97f4a7c15u       /* odd: an iteration further, in hashes */
#define TURN_BACK 0xf1de83e19937733du  /* TURN * TURN_BACK = 1 modulo 2^64 */

/* An item of one iteration between delivery and retirement. */
struct flight {
    int32_t fetch, issue, last, done;                /* cycles */
    int32_t first, load, compute_first, compute_last;   /* UNKNOWN until then */
    uint32_t row;                                    /* its iteration's */
    uint32_t pending, computing;                     /* µops not dispatched yet; those that compute */
    bool told;                                       /* its computed values are known */
    bool merging;                                    /* those that wait for others besides are not yet */
};

/* An iteration in flight. */
struct iteration {
    int64_t iteration;
    int64_t age;                                     /* of its first µop */
    int32_t value;                                   /* place of its first value */
    uint32_t uop, flight;                            /* places of its first µop and item */
};

/* A µop of one iteration from rename on. */
struct waiting_uop {
    uint64_t key;         /* age << 32 | its place; ages count the plan's µops over all iterations */
    uint64_t term;        /* its part of the hash of what waits */
    int32_t ready;        /* first cycle in which its sources let it run, as far as they are known */
    uint32_t uop;
    uint32_t flight;      /* place of its item */
    uint32_t next;        /* in its day of the calendar */
    uint16_t open;        /* sources not known yet; DISPATCHED */
    uint16_t queue;       /* by its port when that was bound at rename, else by all it can take */
};

/* µops that are ready and can go to the same ports, oldest first. */
struct queue {
    uint64_t *keys;       /* as in struct waiting_uop; from head to tail */
    uint32_t head, tail, capacity;
    int32_t blocked;      /* cycle in which no more of them can go */
    uint32_t place;       /* in active */
    portset ports, pipe;
};

/* What the loads of one cycle take of the first-level cache. */
struct cache_cycle {
    int64_t cycle;              /* from the first block on; 0: none yet */
    uint32_t loads, crossed;    /* of them across two lines */
    uint32_t symbols[CACHE_LOADS], banks[CACHE_LOADS];
};

/* A value in program order. */
struct told_value {
    int32_t value;              /* cycle from which on it is there */
    int32_t known;              /* in which that was known: no reader goes before */
};

/* What has been told to happen in a cycle to come. */
struct due {
    uint64_t room;              /* entries that come free, lanes as in struct order */
    uint64_t term;              /* what the µops that go add to the hash */
    uint64_t gone;              /* items that retire, and above them those that store */
    portset goes;               /* ports to which µops go */
};

/* Program order: what has been told to happen. */
struct order {
    bool on;
    uint64_t room;              /* entries that are free, four lanes (LANE_ROB and so on), each LANE_ZERO more: so that one subtraction tells whether an item fits */
    portset alike;              /* ports that loads take in turn and nothing else does: which of them is which does not matter; 0: none */
    bool gaps;                  /* ports are taken in cycles in which no µop goes to them: by loads that wait for banks, by what holds them */
    bool lost;                  /* a younger µop held up an older one, or it is too far ahead: this block has to be simulated by events */
    int32_t limit;              /* last cycle in which a µop may go, or become ready: what is later is lost */
    int32_t furthest;           /* last cycle in which a port or pipe is taken, unless items retire later */
    int32_t retiring, slots;    /* cycle in which the last item retires, what it leaves of it */
    int32_t first;              /* cycle in which the first µop of the item at rename goes to its port; without µops that of rename */
    uint32_t mask;              /* of the ring by item */
    int32_t *fetched;           /* cycles, by item, for a timeline */
    size_t fetched_capacity, value_capacity;
    struct told_value *values;  /* by iteration, then by node: of the iteration at rename and as many before it as any reads */
    struct told_value *here;    /* the first of the iteration at rename */
    size_t kept, rows;          /* values kept of iterations before; iterations until the room ends and these move to its beginning */
    unsigned fours;             /* ports by fours */
    uint8_t *coming;            /* ports to which µops are bound in this cycle: they count from the next on */
    size_t coming_count, coming_capacity;
    int64_t epoch;              /* cycles of the blocks before */
    /* Hash of the µops bound to ports, by port and by port and cycle; what one adds by its port; cycles in which items retire that have not. Sums, kept up to date. */
    uint64_t content, term[PORTS_MAX], times, retirement;   /* content and times apart: a compiler would load together what has just been stored one by one, which waits for the cache */
    uint32_t came[PORTS_MAX];   /* µops that have been bound to each port, in units of BOUND_ONE, above how far down the port stands */
    uint32_t gone[PORTS_MAX];   /* those that have gone to it */
    uint64_t taken[PORTS_MAX][AHEAD_WORDS];   /* by port or pipe: cycles in which no other can start */
    struct due due[AHEAD];      /* by cycle */
    struct cache_cycle loads[AHEAD];
};

/* The two best of a µop's ports in a cycle. */
struct choice {
    int32_t cycle;
    uint8_t best[2];
    uint8_t count, ports[PORTS_MAX];   /* two or more */
};

struct snapshot {
    uint64_t hash;
    unsigned turn;              /* of the ports that are alike */
    size_t start, length;       /* in states */
    int64_t iteration;
    int32_t cycle;
};

/* Whether the loop keeps up with its bound: by how many cycles retirement is late. */
struct settle {
    double least;                      /* the largest bound, cycles per iteration; 0: none is known */
    double enough;                     /* cycles per iteration that are taken in any case: no need to know how much faster the simulation is; 0: none */
    double earliest, latest;           /* of this stretch, cycles */
    double behind, behind_before;      /* the latest against what is enough, of this stretch and the one before */
    struct { double earliest, latest; } first;   /* of the first stretch that those since are like */
    int32_t begin;                     /* cycle */
    uint32_t looks, alike, ahead;      /* of this stretch; stretches alike, and in a row that did not fall behind */
    int32_t highest[SETTLE_BUFFERS];   /* that buffers held at a look: reorder buffer, scheduler, loads, stores, front end's queue */
    uint64_t lowest;                   /* in program order: what they had free, lanes as in struct order */
    bool filling;                      /* one of these was raised */
};

struct simulator {
    struct plan plan;
    struct front front;
    const struct core *core;
    int32_t now;
    bool late;                         /* ports are taken at dispatch: not Intel */
    bool moved;                        /* anything happened in this cycle */
    struct place issued, retired;      /* items */
    uint32_t slots_done;               /* of the item at rename */
    int32_t rob, scheduler, loads, stores, leaving;   /* entries in use; stores retired but not in the cache */
    uint32_t bound[PORTS_MAX];         /* µops bound to each port and not dispatched, in units of BOUND_ONE, above how far down the port stands */
    int32_t pipe_free[PORTS_MAX];
    int32_t rob_size, scheduler_size, load_size, store_size, issue_width, retire_width, commit_width;
    uint8_t load_turn;                 /* port of the last load */
    uint32_t before[PORTS_MAX];        /* bound when rename began its cycle */
    struct choice *best;               /* by a µop's choice */
    size_t best_capacity;
    unsigned bound_now;                /* µops of this cycle so far whose port was chosen among several */
    portset load_ports;                /* that loads of the block can take which banks may hold up */
    struct {
        struct cache_cycle taken;      /* by events: by the loads of this cycle */
        uint32_t most_per_bank, most_crossed;   /* loads of a cycle */
        uint32_t line, shift;          /* bytes of a line of stores, and its logarithm; 0: it has none */
        int32_t busy;                  /* cycles that the store which left last still takes */
        struct place leaving;          /* next store to leave: an item */
    } cache;

    /* Rings over the iterations in flight: by row, then by item, node and µop. */
    uint32_t row_mask;
    uint32_t waiting_count;            /* in the ring of µops */
    int32_t value_count;
    uint32_t flight_count;             /* in the ring of items */
    struct iteration *rows;
    struct flight *flights;
    int32_t *values;                   /* time of each node */
    struct waiting_uop *waiting;
    size_t row_capacity, flight_capacity, value_capacity, waiting_capacity;

    struct order order;
    uint16_t *bound_to;                /* of each µop of the item at rename: its port, by events its queue */
    size_t bound_capacity;

    struct iteration *entering;              /* the iteration at rename */
    uint64_t power;                    /* of it in hashes */
    uint32_t next_retired;             /* place of the item that retires next */
    int64_t entered;                   /* age of the next µop to come */
    int64_t scanned;                   /* age of the µop that is leaving for a port: what is older had its turn in this cycle */
    uint32_t calendar[CALENDAR];       /* first µop of each day, NOBODY: none */
    VEC(struct queue) queues;
    VEC(uint16_t) active;              /* queues that hold µops */
    VEC(uint64_t) turns;               /* keys of the oldest µops of queues in this cycle, the oldest last */
    bool woken;                        /* a queue got a µop while others of its cycle were leaving */

    uint64_t content, unpower;         /* hash of the µops that wait for a port; what takes the iteration at rename out of it */
    uint32_t seen[SEEN][4];            /* parts of hashes of the states at the iterations' ends, the latest first of those in one place */
    uint64_t salt;                     /* mixed into those of this block */
    uint32_t seen_mask;                /* so much of it is in use */
    VEC(int32_t) states;
    VEC(struct snapshot) snapshots;
    uint64_t kept[KEPT / 64];          /* bits, by parts of the hashes of the snapshots: where one is not set there is none */
    int32_t last_cycles[2];            /* in which the last iterations ended */
    int32_t highest;                   /* entries of the reorder buffer in use at a look, at most */
    uint32_t checks, streak;           /* looks so far; of them the last that saw known hashes */
    uint32_t next_kept;                /* look whose state is kept in any case */

    struct settle settle;
    struct simulation *out;
    uint32_t timeline;
    double *stall;                     /* what held rename in this cycle; NULL: nothing */
    double busy[PORTS_MAX];
    struct { double busy[PORTS_MAX], front, rob, scheduler; int64_t iteration; } mark;   /* what there was when the steady state began */
};

/* Cycles that @port was taken. */
static inline double busy_so_far(const struct simulator *s, unsigned port)
{
    return s->busy[port] + (s->order.on ? s->order.gone[port] / BOUND_ONE : 0);
}

static inline int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t row_of(const struct simulator *s, int64_t iteration)
{
    return (uint32_t)iteration & s->row_mask;
}

static inline struct flight *flight_of(const struct simulator *s, int64_t iteration, uint32_t item)
{
    return &s->flights[row_of(s, iteration) * s->plan.items.count + item];
}

static inline int32_t *values_of(const struct simulator *s, int64_t iteration)
{
    return &s->values[row_of(s, iteration) * s->plan.nodes.count];
}

/* When the value of @source is there, for an iteration whose values begin at place @base. Before the first iteration all was there long ago. */
static inline int32_t value_at(const struct simulator *s, int32_t base, const struct plan_source *source)
{
    int32_t place = base + source->place;
    return s->values[place < 0 ? place + s->value_count : place];
}

/* Cycle until which @port, and the pipe that the µop also needs, are held. */
static inline int32_t held_until(const struct simulator *s, portset pipe, unsigned port)
{
    return pipe ? later(s->pipe_free[port], s->pipe_free[__builtin_ctz(pipe)]) : s->pipe_free[port];
}

/* Hashes: one more number, two numbers in one. */
static inline uint64_t mixed(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * TURN;
    return hash ^ hash >> 31;
}

static inline uint64_t pair(int64_t a, int64_t b)
{
    return (uint64_t)a << 32 ^ (uint64_t)b;
}

/* Counts a µop at each port of @ports. */
static inline void demand(struct simulator *s, portset ports, uint32_t change)
{
    for (portset rest = ports; rest; rest &= rest - 1)
        s->bound[__builtin_ctz(rest)] += change;
}

/* @w comes up in @cycle. */
static inline void enter_calendar(struct simulator *s, struct waiting_uop *w, int32_t cycle)
{
    uint32_t *day = &s->calendar[(uint32_t)cycle & (CALENDAR - 1)];
    w->next = *day;
    *day = (uint32_t)w->key;
}

/* Makes room for one more at the end. */
void queue_make_room(struct queue *q);

/* @w, which is ready, waits for its port: mostly the youngest so far. */
static inline void enqueue(struct simulator *s, const struct waiting_uop *w)
{
    struct queue *q = &s->queues.items[w->queue];

    if (q->head == q->tail) {
        q->head = q->tail = 0;
        q->place = (uint32_t)s->active.count;
        s->active.items[s->active.count++] = w->queue;
    }
    if (q->tail == q->capacity)
        queue_make_room(q);
    uint32_t at = q->tail++, head = q->head;
    uint64_t *keys = q->keys, key = w->key;
    for (; at > head && keys[at - 1] > key; at--)
        keys[at] = keys[at - 1];
    keys[at] = key;
}

/* At least @count items; what is there may be lost. */
#define RING(items, capacity, count)                                         \
    do {                                                                     \
        if ((capacity) < (count)) {                                          \
            (capacity) = (count);                                            \
            free(items);                                                     \
            (items) = mem_alloc((capacity) * sizeof *(items));               \
        }                                                                    \
    } while (0)

/* simulate.c */
uint32_t power_of_two(size_t least);
/* Items between rename and retirement, at most. */
size_t items_in_flight(const struct simulator *s);
#define SLOTLESS_MOST 3   /* items to a slot: what takes it, a move before it and a nop behind */

/* execute.c */
void execute_start(struct simulator *s);   /* empties calendar and queues */
void execute_cycle(struct simulator *s);
/* @w has no open source: it may run from its ready cycle on. */
void all_known(struct simulator *s, struct waiting_uop *w);
/* Sets a value of an iteration and tells those that wait for it. */
void value_known(struct simulator *s, const struct iteration *row, uint32_t node, int32_t value);
/* The value of @node no earlier than @value and than what trails behind. */
int32_t value_with_trails(const struct simulator *s, const struct iteration *row, const struct plan_node *node, int32_t value);
/* First cycle after now in which a µop can go to a port, UNKNOWN: never. For a cycle in which none did. */
int32_t execute_next(const struct simulator *s);

/* cache.c */
void cache_start(struct simulator *s);
/* How many of the stores that have retired, at least one or what the last still takes, reach the cache in this cycle. */
int32_t cache_commit(struct simulator *s);

/* rename.c */
void rename_start(struct simulator *s);
void rename_cycle(struct simulator *s);

/* retire.c */
void retire_cycle(struct simulator *s);
/* Stores that have retired go on to the cache. */
void retire_commit(struct simulator *s);

/* order_plan.c: whether the block of the plan can be simulated in program order, as far as can be told beforehand. */
bool order_fits(const struct simulator *s);
/* The ports of loads, where all loads can go to the same ones and no other µop to any of them. */
portset order_alike(const struct plan *p);

/* order.c */
void order_start(struct simulator *s);
/* The block is through: what has been told of the time after it is forgotten. */
void order_end(struct simulator *s);
/* The next cycle, behind rename and in it. */
void order_cycle(struct simulator *s);
/* Cycles, without a timeline: at least one, until rename begins an iteration, @retired items have retired, cycle @last, or the block is lost. False: nothing will ever happen again. */
bool order_cycles(struct simulator *s, int32_t last, int64_t retired);
/* Brings the simulator's counts of entries in use up to date. */
void order_count(struct simulator *s);
/* Entries of the reorder buffer in use, without those of the item at rename. */
static inline int32_t order_in_flight(const struct simulator *s)
{
    return s->rob_size - (int32_t)((uint16_t)(s->order.room >> LANE_ROB) - (uint16_t)LANE_ZERO);
}
/* order_state.c: what decides the future behind rename, relative to now, to @out; returns the place behind it. At most order_state_room places. */
size_t order_state_room(const struct simulator *s);
int32_t *order_state(const struct simulator *s, int32_t *out);
/* The same for what of it is cheap to look at. */
static inline uint64_t order_hash(const struct simulator *s)
{
    const struct order *o = &s->order;
    uint64_t now = (uint64_t)s->now, retirement = o->retirement - (uint64_t)(s->issued.number - s->retired.number) * now;

    return (o->times - o->content * now) * 0xa0761d6478bd642fu + o->content * 0x9e6c63d0676a9a99u + retirement * 0x94d049bb133111ebu + o->room * 0xbf58476d1ce4e5b9u +
           pair(later(o->retiring - s->now, 0), s->leaving) * 0xa24baed4963ee407u;
}
/* How many of the ports that are alike, from 0 on, come before the one that had the last load. */
unsigned order_turn(const struct simulator *s);

/* repeat.c */
void repeat_start(struct simulator *s);
/* True when the state was there before: fills the result. */
bool repeat_found(struct simulator *s);


/* settle.c */
void settle_start(struct simulator *s, double least, double enough);   /* @least: as in struct block_work */
/* Called at each iteration's end. True when the loop has settled at its bound: fills the result. */
bool settle_found(struct simulator *s);

#endif
