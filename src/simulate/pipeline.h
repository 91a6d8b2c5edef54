/* Internal to simulate/: state of the core, and the units that change it. In each cycle retirement,
 * ports, rename and front end act in this order. */
#ifndef PORTOLAN_SIMULATE_PIPELINE_H
#define PORTOLAN_SIMULATE_PIPELINE_H

#include "simulate/front.h"

/* cycles of the calendar, a power of two; later events are reinserted */
#define CALENDAR 256
#define RENAME_TO_PORT 1        /* least cycles from rename to a port */
#define CACHE_LOADS 4           /* loads per cycle */
#define DISPATCHED UINT16_MAX
#define NOBODY UINT32_MAX
#define HASHED_BITS 10
#define HASHED (1u << HASHED_BITS)
#define BUFFERS 5               /* reorder buffer, scheduler, loads, stores, µop queue */

/* An item of one iteration from delivery to retirement. */
struct flight {
    int32_t fetch, issue, last, done;                   /* cycles */
    int32_t first, load, compute_first, compute_last;   /* UNKNOWN until then */
    uint32_t row;                                       /* index of its iteration */
    /* undispatched µops; computing ones among them */
    uint32_t pending, computing;
    bool published;                                     /* its computed values are known */
    bool merging;                                       /* those without a µop are pending */
};

/* An iteration in flight. */
struct iteration {
    int64_t iteration;
    int64_t age;                /* of its first µop */
    int32_t value;              /* index of its first value */
    uint32_t uop, flight;       /* indices of its first µop and item */
};

/* A µop of one iteration from rename on. */
struct waiting_uop {
    int64_t age;                /* number of the µop over all iterations */
    int32_t ready;              /* earliest cycle by its known sources */
    uint32_t uop;
    uint32_t flight;            /* index of its item */
    uint32_t next;              /* next in its day of the calendar */
    uint16_t open;              /* unknown sources; DISPATCHED */
    /* by its port if bound at rename, else by its port set */
    uint16_t queue;
};

/* Ready µops for the same ports, oldest first. */
struct queue {
    uint32_t *uops;             /* indices of waiting µops, from head to tail */
    uint32_t head, tail, capacity;
    int64_t age;                /* of the oldest µop */
    int32_t blocked;            /* cycle in which no more of them can dispatch */
    uint32_t active;            /* index in active */
    portset ports, pipe;
};

/* First-level cache use by the loads of one cycle. */
struct cache_cycle {
    int32_t cycle;
    uint32_t loads, crossed;    /* crossed: loads across two lines */
    uint32_t symbols[CACHE_LOADS], banks[CACHE_LOADS];
    uint64_t lines[CACHE_LOADS];   /* of 64 bytes */
};

/* A recorded state. */
struct snapshot {
    uint64_t hash;              /* of the counted stretch */
    unsigned turn;              /* round-robin position of load ports */
    size_t start, length;       /* in states */
    int64_t iteration;
    int32_t cycle;
};

/* Whether the loop reaches its bound: delays of retirement. */
struct settle {
    /* largest bound, cycles per iteration; 0: unknown */
    double least;
    /* least cycles per iteration of replayed loads; 0: none */
    double enough;
    double earliest, latest;           /* of this stretch, cycles */
    /* the latest relative to the required number, in this and the previous stretch */
    double behind, behind_before;
    /* of the reference stretch */
    struct { double earliest, latest; } first;
    int32_t begin;                     /* cycle */
    /* of this stretch; equal stretches; consecutive ones without a delay */
    uint32_t looks, alike, ahead;
    int32_t highest[BUFFERS];          /* largest number of entries in use at a check */
    bool filling;                      /* one of these has increased */
};

struct simulator {
    struct plan plan;
    struct front front;
    const struct core *core;
    int32_t now;                       /* cycle */
    bool moved;                        /* something changed in this cycle */
    struct place issued, retired;      /* items */

    /* Facts, and entries in use; leaving: stores retired but not committed. */
    int32_t rob_size, scheduler_size, load_size, store_size, issue_width, retire_width,
        commit_width;
    int32_t rename_to_port;              /* cycles from rename to the earliest dispatch */
    int32_t moves_most, zeroes_most;   /* eliminated moves per cycle */
    int32_t rob, scheduler, loads, stores, leaving;

    /* Rename. */
    uint32_t slots_done;               /* slots of the current item already taken */
    struct iteration *entering;        /* iteration at rename */
    int64_t entered;                   /* age of the next µop */
    /* end of the instruction that occupies rename alone, hundredths of a cycle */
    int64_t sequencer_free;
    double *stall;                     /* cause of rename's stall in this cycle; NULL: none */

    /* Ports. */
    /* ports are bound at rename, not at dispatch (fact port_binding) */
    bool bound_at_rename;
    bool turns_of_computing;           /* turns count computing µops, not slots */
    uint32_t bound[PORTS_MAX];         /* µops waiting per port */
    uint32_t before[PORTS_MAX];        /* the same at the start of rename's cycle */
    /* in this cycle: slots with µops, or µops with a choice of ports */
    unsigned turn;
    uint8_t load_turn;                 /* port of the last load */
    /* ports used by loads only, in rotation; 0: none */
    portset alike;
    int32_t pipe_free[PORTS_MAX];      /* cycle until which a port or pipe is busy */

    /* Scheduler. */
    /* sums over waiting µops: a weight of their queue, and this times the age */
    uint64_t weights, ages;
    /* age of the dispatched µop: older ones were considered already */
    int64_t scanned;
    uint32_t calendar[CALENDAR];       /* first µop of each day, NOBODY: none */
    VEC(struct queue) queues;
    VEC(uint16_t) active;              /* nonempty queues */

    /* Memory. */
    struct {
        portset ports;                 /* of loads with known banks */
        struct cache_cycle taken;      /* loads of this cycle */
        uint32_t most_per_bank, most_crossed;   /* loads per cycle */
        uint32_t line;                 /* bytes of a store's line */
        int32_t busy;                  /* remaining cycles of the last commit */
        struct place leaving;          /* item of the next store to commit */
    } cache;

    /* Rings over the iterations in flight: by row, then by item, node and µop. */
    uint32_t row_mask;
    uint32_t waiting_count, flight_count;
    int32_t value_count;
    struct iteration *rows;
    struct flight *flights;
    int32_t *values;                   /* cycle of each node */
    struct waiting_uop *waiting;
    size_t row_capacity, flight_capacity, value_capacity, waiting_capacity;
    uint32_t next_retired;             /* index of the next item to retire */

    /* Steady state. */
    VEC(int32_t) states;
    VEC(struct snapshot) snapshots;
    uint64_t hashed[HASHED / 64];      /* bit set of snapshot hashes, by high bits */
    int32_t last_cycles[2];            /* ends of the last iterations */
    int32_t highest;                   /* largest number of reorder buffer entries in use at a
                                        * check */
    uint32_t checks, next_kept;        /* checks so far; the next check whose state is kept */
    struct settle settle;
    /* start of the steady state */
    struct { double busy[PORTS_MAX], front, rob, scheduler; int64_t iteration; } mark;

    struct simulation *out;
    uint32_t timeline;                 /* recorded iterations */
    double busy[PORTS_MAX];            /* cycles */
};

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

/* Cycle in which the value of @source is ready, for an iteration whose values begin at index
 * @base. */
static inline int32_t value_at(const struct simulator *s, int32_t base,
                               const struct plan_source *source)
{
    int32_t place = base + source->place;
    return s->values[place < 0 ? place + s->value_count : place];
}

/* The resource that a µop with @pipe blocks on @port: the port itself if the pipe is one of its
 * ports. */
static inline unsigned pipe_at(portset pipe, unsigned port)
{
    return pipe >> port & 1 ? port : (unsigned)__builtin_ctz(pipe);
}

/* Cycle until which @port and the µop's pipe are busy. */
static inline int32_t held_until(const struct simulator *s, portset pipe, unsigned port)
{
    return pipe ? later(s->pipe_free[port], s->pipe_free[pipe_at(pipe, port)]) : s->pipe_free[port];
}

/* pipeline.c: runs until the state repeats, the loop has settled at its bound, @limit iterations
 * have retired, or the cycle limit. Returns the iterations since the mark. */
double pipeline_run(struct simulator *s, int64_t limit);
void pipeline_start(struct simulator *s, const struct block_work *w, const struct insn *insns,
                    size_t count, const struct block_options *block);
void pipeline_free(struct simulator *s);

/* rename.c */
void rename_start(struct simulator *s);
void rename_cycle(struct simulator *s);
/* First later cycle in which rename continues after a serialising instruction; UNKNOWN: not
 * waiting. */
int32_t rename_next(const struct simulator *s);

/* scheduler.c */
void scheduler_start(struct simulator *s);
/* Makes @w, of the current item, wait for @own of its item's µops and for its sources, at least
 * until @ready. */
void scheduler_add(struct simulator *s, uint32_t uop, unsigned own, int32_t ready);
/* Moves µops whose cycle has come to the port queues. */
void scheduler_wake(struct simulator *s);
/* Another source of @w is known, available from cycle @ready on. */
void scheduler_source_known(struct simulator *s, struct waiting_uop *w, int32_t ready);
/* Adds @sign times @w to the hash of steady.c. */
static inline void scheduler_weigh(struct simulator *s, const struct waiting_uop *w, int sign)
{
    /* equal ports are interchangeable */
    bool any = s->alike >> w->queue % PORTS_MAX & 1;
    uint64_t weight = (uint64_t)sign * (any ? 1u : 2u * w->queue + 3u) * 0x9e3779b97f4a7c15u;
    s->weights += weight;
    s->ages += weight * (uint64_t)w->age;
}
/* Removes the first µop of @q. */
void scheduler_leave(struct simulator *s, struct queue *q);
/* First later cycle in which a µop can dispatch, UNKNOWN: never. Called when none did in this
 * cycle. */
int32_t scheduler_next(const struct simulator *s);

/* ports.c */
void ports_start(struct simulator *s);
/* Selects the queues of @item's µops. */
void ports_bind(struct simulator *s, const struct plan_item *item);
/* Dispatches ready µops to free ports, oldest first. */
void ports_cycle(struct simulator *s);
/* Position of the next load port among equal ones. */
unsigned ports_turn(const struct simulator *s);

/* writeback.c */
/* Computes the values that follow from the dispatch of @w. */
void writeback_dispatched(struct simulator *s, struct waiting_uop *w);
/* Handles @w, which has no µop, when its sources become known. */
void writeback_without_port(struct simulator *s, const struct waiting_uop *w);
/* Sets a value of an iteration and wakes its readers. */
void writeback_value(struct simulator *s, const struct iteration *row, uint32_t node,
                     int32_t value);
/* Value of @node, at least @value and after the sources that trail it. */
int32_t writeback_trailed(const struct simulator *s, const struct iteration *row,
                          const struct plan_node *node, int32_t value);

/* memory.c */
void memory_start(struct simulator *s);
/* Returns whether @load of @iteration finds its banks free in this cycle, and takes them. */
bool memory_load(struct simulator *s, const struct plan_uop *load, int64_t iteration);
/* Commits retired stores to the cache. */
void memory_commit(struct simulator *s);

/* retire.c */
void retire_cycle(struct simulator *s);

/* steady.c */
/* arguments as in struct settle */
void steady_start(struct simulator *s, double least, double enough);
/* Returns whether the state at the end of the iteration has occurred before; then fills the
 * result. */
bool steady_repeats(struct simulator *s);
/* Returns whether the loop has settled at its bound; then fills the result. Called at the end of
 * each iteration. */
bool steady_settled(struct simulator *s);

#endif
