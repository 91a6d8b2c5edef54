/* Internal to simulate/: the state of the core from cycle to cycle, and the units that change it.
 * In a cycle first retirement, then the ports, then rename, then the front end have their turn. */
#ifndef PORTOLAN_SIMULATE_PIPELINE_H
#define PORTOLAN_SIMULATE_PIPELINE_H

#include "simulate/front.h"

/* cycles ahead, a power of two; later events are put back when they come up */
#define CALENDAR 256
#define RENAME_TO_PORT 1        /* cycles from rename to the first chance at a port, at least */
#define CACHE_LOADS 4           /* of a cycle */
#define DISPATCHED UINT16_MAX
#define NOBODY UINT32_MAX
#define HASHED_BITS 10
#define HASHED (1u << HASHED_BITS)
#define BUFFERS 5               /* reorder buffer, scheduler, loads, stores, µop queue */

/* An item of one iteration between delivery and retirement. */
struct flight {
    int32_t fetch, issue, last, done;                   /* cycles */
    int32_t first, load, compute_first, compute_last;   /* UNKNOWN until then */
    uint32_t row;                                       /* its iteration's */
    /* µops not dispatched; those that compute */
    uint32_t pending, computing;
    bool published;                                     /* its computed values are known */
    bool merging;                                       /* those without a µop are not yet */
};

/* An iteration in flight. */
struct iteration {
    int64_t iteration;
    int64_t age;                /* of its first µop */
    int32_t value;              /* place of its first value */
    uint32_t uop, flight;       /* places of its first µop and item */
};

/* A µop of one iteration from rename on. */
struct waiting_uop {
    int64_t age;                /* counts the plan's µops over all iterations */
    int32_t ready;              /* first cycle in which its known sources let it run */
    uint32_t uop;
    uint32_t flight;            /* place of its item */
    uint32_t next;              /* in its day of the calendar */
    uint16_t open;              /* sources not known yet; DISPATCHED */
    /* by its port when that was bound at rename, else by all it can take */
    uint16_t queue;
};

/* µops that are ready and can go to the same ports, oldest first. */
struct queue {
    uint32_t *uops;             /* places of waiting µops, from head to tail */
    uint32_t head, tail, capacity;
    int64_t age;                /* of the oldest */
    int32_t blocked;            /* cycle in which no more of them can go */
    uint32_t active;            /* its place in active */
    portset ports, pipe;
};

/* Use of the first-level cache by the loads of one cycle. */
struct cache_cycle {
    int32_t cycle;
    uint32_t loads, crossed;    /* of them across two lines */
    uint32_t symbols[CACHE_LOADS], banks[CACHE_LOADS];
    uint64_t lines[CACHE_LOADS];   /* 64 bytes */
};

/* A state that was written down. */
struct snapshot {
    uint64_t hash;              /* of the counted stretch */
    unsigned turn;              /* of the ports that loads take in turn */
    size_t start, length;       /* in states */
    int64_t iteration;
    int32_t cycle;
};

/* Whether the loop keeps up with its bound: by how many cycles retirement is late. */
struct settle {
    /* the largest bound, cycles per iteration; 0: none is known */
    double least;
    /* least cycles per iteration of replayed loads; 0: none */
    double enough;
    double earliest, latest;           /* of this stretch, cycles */
    /* the latest compared with the required number, of this stretch and the one before */
    double behind, behind_before;
    /* of the first stretch that those since are like */
    struct { double earliest, latest; } first;
    int32_t begin;                     /* cycle */
    /* of this stretch; equal stretches; consecutive ones that did not fall behind */
    uint32_t looks, alike, ahead;
    int32_t highest[BUFFERS];          /* entries in use at a look, at most */
    bool filling;                      /* one of these was raised */
};

struct simulator {
    struct plan plan;
    struct front front;
    const struct core *core;
    int32_t now;                       /* cycle */
    bool moved;                        /* anything happened in this cycle */
    struct place issued, retired;      /* items */

    /* Facts, and entries in use; leaving: stores retired but not in the cache. */
    int32_t rob_size, scheduler_size, load_size, store_size, issue_width, retire_width,
        commit_width;
    int32_t rename_to_port;              /* cycles from rename to the first chance at a port */
    int32_t moves_most, zeroes_most;   /* eliminated moves of a cycle */
    int32_t rob, scheduler, loads, stores, leaving;

    /* Rename. */
    uint32_t slots_done;               /* of the item at rename */
    struct iteration *entering;        /* the iteration at rename */
    int64_t entered;                   /* age of the next µop to come */
    /* end of the instruction that takes rename alone, in hundredths of a cycle */
    int64_t sequencer_free;
    double *stall;                     /* cause of rename's stall in this cycle; NULL: none */

    /* Ports. */
    /* ports are bound at rename, else at dispatch (fact port_binding) */
    bool bound_at_rename;
    bool turns_of_computing;           /* µops that compute take turns, not slots */
    uint32_t bound[PORTS_MAX];         /* µops that wait for each port */
    uint32_t before[PORTS_MAX];        /* the same when rename began its cycle */
    /* of this cycle so far: slots with µops, or µops whose port was chosen among several */
    unsigned turn;
    uint8_t load_turn;                 /* port of the last load */
    /* ports that loads take in turn and nothing else does; 0: none */
    portset alike;
    int32_t pipe_free[PORTS_MAX];      /* cycle until which a port or pipe is busy */
    uint16_t *bound_to;                /* queue of each µop of the item at rename */

    /* Scheduler. */
    /* sums over the µops that wait: a weight of their queue, this times the age */
    uint64_t weights, ages;
    /* age of the µop that is dispatched: older ones had their turn in this cycle */
    int64_t scanned;
    uint32_t calendar[CALENDAR];       /* first µop of each day, NOBODY: none */
    VEC(struct queue) queues;
    VEC(uint16_t) active;              /* queues that hold µops */

    /* Memory. */
    struct {
        portset ports;                 /* that loads take whose banks are known */
        struct cache_cycle taken;      /* by the loads of this cycle */
        uint32_t most_per_bank, most_crossed;   /* loads of a cycle */
        uint32_t line;                 /* bytes of a line of stores */
        int32_t busy;                  /* cycles that the store which left last still takes */
        struct place leaving;          /* next store to leave: an item */
    } cache;

    /* Rings over the iterations in flight: by row, then by item, node and µop. */
    uint32_t row_mask;
    uint32_t waiting_count, flight_count;
    int32_t value_count;
    struct iteration *rows;
    struct flight *flights;
    int32_t *values;                   /* cycle of each node */
    struct waiting_uop *waiting;
    size_t row_capacity, flight_capacity, value_capacity, waiting_capacity, bound_capacity;
    uint32_t next_retired;             /* place of the item that retires next */

    /* Steady state. */
    VEC(int32_t) states;
    VEC(struct snapshot) snapshots;
    uint64_t hashed[HASHED / 64];      /* a bit for each hash of a snapshot, by its high bits */
    int32_t last_cycles[2];            /* in which the last iterations ended */
    int32_t highest;                   /* entries of the reorder buffer in use at a look, at most */
    uint32_t checks, next_kept;        /* looks so far; the look whose state is kept next */
    struct settle settle;
    /* when the steady state began */
    struct { double busy[PORTS_MAX], front, rob, scheduler; int64_t iteration; } mark;

    struct simulation *out;
    uint32_t timeline;                 /* iterations whose steps are kept */
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

/* Cycle in which the value of @source is ready, for an iteration whose values begin at place
 * @base. */
static inline int32_t value_at(const struct simulator *s, int32_t base,
                               const struct plan_source *source)
{
    int32_t place = base + source->place;
    return s->values[place < 0 ? place + s->value_count : place];
}

/* The resource that a µop with @pipe blocks on @port: the port itself if the pipe is its ports. */
static inline unsigned pipe_at(portset pipe, unsigned port)
{
    return pipe >> port & 1 ? port : (unsigned)__builtin_ctz(pipe);
}

/* Cycle until which @port, and the pipe that the µop also needs, are held. */
static inline int32_t held_until(const struct simulator *s, portset pipe, unsigned port)
{
    return pipe ? later(s->pipe_free[port], s->pipe_free[pipe_at(pipe, port)]) : s->pipe_free[port];
}

/* pipeline.c: runs until the state repeats, the loop has settled at its bound, @limit iterations
 * have retired, or the limit of cycles. Returns the iterations since the mark. */
double pipeline_run(struct simulator *s, int64_t limit);
void pipeline_start(struct simulator *s, const struct block_work *w, const struct insn *insns,
                    size_t count, const struct block_options *block);
void pipeline_free(struct simulator *s);

/* rename.c */
void rename_start(struct simulator *s);
void rename_cycle(struct simulator *s);
/* First cycle after now in which rename continues after the instruction that it waits for alone;
 * UNKNOWN: it does not wait. */
int32_t rename_next(const struct simulator *s);

/* scheduler.c */
void scheduler_start(struct simulator *s);
/* @w, of the item at rename, waits from now on for @own of its item's µops and for its sources,
 * and runs no earlier than @ready. */
void scheduler_add(struct simulator *s, uint32_t uop, unsigned own, int32_t ready);
/* Those whose cycle has come wait for a port. */
void scheduler_wake(struct simulator *s);
/* One more source of @w is known, which lets it run from cycle @ready on. */
void scheduler_source_known(struct simulator *s, struct waiting_uop *w, int32_t ready);
/* Adds @sign of @w to the hash of steady.c. */
static inline void scheduler_weigh(struct simulator *s, const struct waiting_uop *w, int sign)
{
    /* which of the ports that are alike does not matter */
    bool any = s->alike >> w->queue % PORTS_MAX & 1;
    uint64_t weight = (uint64_t)sign * (any ? 1u : 2u * w->queue + 3u) * 0x9e3779b97f4a7c15u;
    s->weights += weight;
    s->ages += weight * (uint64_t)w->age;
}
/* The first of @q leaves. */
void scheduler_leave(struct simulator *s, struct queue *q);
/* First cycle after now in which a µop can go to a port, UNKNOWN: never. For a cycle in which none
 * did. */
int32_t scheduler_next(const struct simulator *s);

/* ports.c */
void ports_start(struct simulator *s);
/* Chooses the queues of @item's µops. */
void ports_bind(struct simulator *s, const struct plan_item *item);
/* By age, each µop that is ready takes a port that is free. */
void ports_cycle(struct simulator *s);
/* The port that loads take next, counted within those alike. */
unsigned ports_turn(const struct simulator *s);

/* writeback.c */
/* The values that follow from the dispatch of @w. */
void writeback_dispatched(struct simulator *s, struct waiting_uop *w);
/* Handles the sources of @w, which is no µop, becoming known. */
void writeback_without_port(struct simulator *s, const struct waiting_uop *w);
/* Sets a value of an iteration and wakes its readers. */
void writeback_value(struct simulator *s, const struct iteration *row, uint32_t node,
                     int32_t value);
/* The value of @node no earlier than @value and than the sources that trail it. */
int32_t writeback_trailed(const struct simulator *s, const struct iteration *row,
                          const struct plan_node *node, int32_t value);

/* memory.c */
void memory_start(struct simulator *s);
/* True when @load of @iteration finds its banks free in this cycle, and takes them. */
bool memory_load(struct simulator *s, const struct plan_uop *load, int64_t iteration);
/* Sends retired stores to the cache. */
void memory_commit(struct simulator *s);

/* retire.c */
void retire_cycle(struct simulator *s);

/* steady.c */
/* cycles, as in struct settle */
void steady_start(struct simulator *s, double least, double enough);
/* True when the state at the iteration's end was there before: fills the result. */
bool steady_repeats(struct simulator *s);
/* True when the loop has settled at its bound: fills the result. Called at each iteration's end. */
bool steady_settled(struct simulator *s);

#endif
