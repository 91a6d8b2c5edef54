/* Internal to simulate/: state of the core, and the units that change it. In each cycle the units
 * run in this order: retirement, ports, rename, front end. */
#ifndef PORTOLAN_SIMULATE_PIPELINE_H
#define PORTOLAN_SIMULATE_PIPELINE_H

#include "simulate/front.h"

/* length of the calendar in cycles, a power of two; a µop with a longer wait is inserted again
 * later */
#define CALENDAR 256
#define RENAME_TO_PORT 1        /* minimum cycles from rename to a port */
#define CACHE_LOADS 4           /* maximum number of recorded loads per cycle */
#define DISPATCHED UINT16_MAX
#define NOBODY UINT32_MAX
#define HASHED_BITS 10
#define HASHED (1u << HASHED_BITS)
/* number of buffers of which struct settle records the use: reorder buffer, scheduler, loads,
 * stores, µop queue */
#define BUFFERS 5

/* An item of one iteration, from delivery to retirement */
struct flight {
    /* cycle of delivery, of rename, of the last dispatch, and of the last result */
    int32_t fetch, issue, last, done;
    int32_t first, load, compute_first, compute_last;   /* cycles of dispatch of the first µop, the
                                                         * load, and the first and last computing
                                                         * µop; UNKNOWN before the event */
    uint32_t row;                                       /* index in rows of the item's iteration */
    /* number of undispatched µops, and of undispatched computing µops */
    uint32_t pending, computing;
    /* whether the computed values of the item are known */
    bool published;
    /* number of UOP_RENAMED and UOP_MERGED with pending values that delay retirement */
    uint32_t merging;
};

/* An iteration in flight */
struct iteration {
    int64_t iteration;
    int64_t age;                /* age of the iteration's first µop */
    int32_t value;              /* index of the iteration's first value */
    uint32_t uop, flight;       /* indices of the iteration's first µop and first item */
};

/* A µop of one iteration, from rename to dispatch */
struct waiting_uop {
    int64_t age;                /* serial number of the µop over all iterations */
    int32_t ready;              /* earliest cycle of dispatch according to the known sources */
    uint32_t uop;
    uint32_t flight;            /* index in flights of the µop's item */
    uint32_t next;              /* next µop with the same cycle in the calendar */
    uint16_t open;              /* number of sources with unknown ready cycle, or DISPATCHED */
    /* index of the µop's queue: one queue per port if ports are bound at rename, otherwise one per
     * port set */
    uint16_t queue;
};

/* Ready µops for the same ports, oldest first */
struct queue {
    uint32_t *uops;             /* indices of waiting µops, from head to tail */
    uint32_t head, tail, capacity;
    int64_t age;                /* age of the oldest µop */
    int32_t blocked;            /* cycle in which no further µop of the queue can be dispatched */
    uint32_t active;            /* index of the queue in simulator.active */
    portset ports, pipe;
};

/* number of parts of a load slot; a load may use a fraction of a slot */
#define SLOT_PARTS 12

/* Use of the first-level cache by the loads of one cycle */
struct cache_cycle {
    int32_t cycle;
    uint32_t loads;
    int32_t slots;              /* used slots, in parts (SLOT_PARTS); parts beyond the slots of a
                                 * cycle are taken from the next cycle */
    int32_t vector_slots;       /* slots that vector loads use, in parts */
    uint32_t symbols[CACHE_LOADS], banks[CACHE_LOADS];
    uint64_t lines[CACHE_LOADS];   /* addresses of the loads, divided by 64 */
};

/* Position and hash of a recorded state */
struct snapshot {
    uint64_t hash;              /* hash of the state (hash_of) */
    unsigned turn;
    size_t start, length;       /* range of the snapshot's words in @states */
    int64_t iteration;
    int32_t cycle;
};

/* Detects that the loop runs at its bound, from the retirement times in successive stretches. */
struct settle {
    /* largest bound in cycles per iteration; 0: unknown */
    double least;
    /* bound of replayed loads in cycles per iteration; 0: none */
    double enough;
    /* earliest and latest retirement in this stretch, in cycles after the time that @least
     * predicts */
    double earliest, latest;
    /* latest retirement in this and the previous stretch, in cycles after the time that @enough
     * predicts */
    double behind, behind_before;
    /* earliest and latest retirement in the reference stretch */
    struct { double earliest, latest; } first;
    int32_t begin;                     /* first cycle of this stretch */
    /* @looks: checks in this stretch. @alike: consecutive stretches equal to the reference. @ahead:
     * consecutive stretches without a delay. */
    uint32_t looks, alike, ahead;
    int32_t highest[BUFFERS];          /* largest number of entries in use at a check */
    bool filling;                      /* whether an element of @highest increased in this
                                        * stretch */
};

struct simulator {
    struct plan plan;
    struct front front;
    const struct core *core;
    int32_t now;                       /* current cycle */
    bool moved;                        /* whether the state changed in this cycle */
    struct place issued, retired;      /* next item to rename, and next item to retire */

    /* sizes of buffers, and widths, from the facts */
    int32_t rob_size, scheduler_size, load_size, store_size, issue_width, retire_width,
        commit_width;
    int32_t rename_to_port;              /* cycles from rename to the earliest dispatch */
    int32_t moves_most, zeroes_most;   /* maximum number of eliminated moves, and of eliminated
                                        * moves of zero, per cycle */
    /* numbers of entries in use; @leaving: number of retired stores that have not committed */
    int32_t rob, scheduler, loads, stores, leaving;

    /* Rename */

    /* number of slots of the current item that are already renamed */
    uint32_t slots_done;
    struct iteration *entering;        /* iteration of the current item */
    int64_t entered;                   /* age of the next µop */
    /* time at which the sequencer is free for the next item with plan_item.alone, in hundredths of
     * a cycle */
    int64_t sequencer_free;
    /* counter of the cause of this cycle's stall; NULL if rename does not stall */
    double *stall;

    /* Ports */

    /* whether ports are bound at rename instead of dispatch (fact port_binding) */
    bool bound_at_rename;
    bool turns_of_computing;           /* whether @turn counts µops with a choice of ports, instead
                                        * of slots */
    uint32_t bound[PORTS_MAX];         /* number of waiting µops per port */
    /* number of waiting µops per port at the start of rename's cycle */
    uint32_t before[PORTS_MAX];
    /* number of slots with µops in this cycle, or number of µops with a choice of ports */
    unsigned turn;
    uint8_t load_turn;                 /* port of the last load */
    /* ports that execute only loads and are used in rotation; 0: none */
    portset alike;
    int32_t pipe_free[PORTS_MAX];      /* cycle until which a port or pipe is busy */

    /* Scheduler */

    /* sums over all waiting µops: of the weight of the µop's queue, and of this weight times the
     * µop's age */
    uint64_t weights, ages;
    /* age of the µop that was dispatched last; older µops have been examined in this cycle */
    int64_t scanned;
    uint32_t calendar[CALENDAR];       /* first µop of each cycle modulo CALENDAR, or NOBODY */
    VEC(struct queue) queues;
    VEC(uint16_t) active;              /* indices of nonempty queues */

    /* Memory */
    struct {
        portset ports;                 /* ports of loads with known addresses */
        struct cache_cycle taken;      /* loads of this cycle */
        uint32_t most_per_bank;        /* maximum number of loads per cycle and bank */
        /* slots of a cycle for all loads, and for vector loads, in parts; 0: no limit */
        int32_t slots, vector_slots;
        /* size in bytes of a line in which two stores can commit together */
        uint32_t line;
        int32_t busy;                  /* remaining cycles of the last commit */
        struct place leaving;          /* item of the next store to commit */
    } cache;

    /* Rings over the iterations in flight, indexed by row, then by item, node or µop. */
    uint32_t row_mask;
    uint32_t waiting_count, flight_count;
    int32_t value_count;
    struct iteration *rows;
    struct flight *flights;
    int32_t *values;                   /* per node, the cycle in which its value is ready */
    struct waiting_uop *waiting;
    size_t row_capacity, flight_capacity, value_capacity, waiting_capacity;
    uint32_t next_retired;             /* index of the next item to retire */

    /* Steady state */
    VEC(int32_t) states;
    VEC(struct snapshot) snapshots;
    uint64_t hashed[HASHED / 64];      /* set of snapshot hashes, by their high bits */
    int32_t last_cycles[2];            /* cycles in which the states of the previous two iterations
                                        * were checked */
    /* largest number of reorder buffer entries in use at a check */
    int32_t highest;
    /* number of checks until now, and index of the next check that records the state */
    uint32_t checks, next_kept;
    struct settle settle;
    /* counters at the start of the steady state */
    struct { double busy[PORTS_MAX], stalls[STALL_CAUSES]; int64_t iteration; } mark;

    struct simulation *out;
    uint32_t timeline;                 /* iterations recorded for the timeline */
    double busy[PORTS_MAX];            /* busy cycles per port */
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

/* Returns the cycle in which the value of @source is ready. @base is the index of the first value
 * in the reader's iteration. */
static inline int32_t value_at(const struct simulator *s, int32_t base,
                               const struct plan_source *source)
{
    int32_t place = base + source->place;
    return s->values[place < 0 ? place + s->value_count : place];
}

/* Returns the resource that a µop with blocking pipe @pipe occupies on @port: the pipe, or @port
 * itself if @port is part of @pipe. */
static inline unsigned pipe_at(portset pipe, unsigned port)
{
    return pipe >> port & 1 ? port : (unsigned)__builtin_ctz(pipe);
}

/* Returns the cycle until which @port or the µop's pipe is busy. */
static inline int32_t held_until(const struct simulator *s, portset pipe, unsigned port)
{
    return pipe ? later(s->pipe_free[port], s->pipe_free[pipe_at(pipe, port)]) : s->pipe_free[port];
}

/* pipeline.c: runs until the state repeats, the loop settles at its bound, @limit iterations have
 * retired, LIMIT_CYCLES have passed, or watch_steps cancels. Returns the number of iterations since
 * s->mark, at least 1. */
double pipeline_run(struct simulator *s, int64_t limit);
void pipeline_start(struct simulator *s, const struct block_work *w, const struct insn *insns,
                    size_t count, const struct block_options *block);
void pipeline_free(struct simulator *s);

/* Functions of rename.c */
void rename_start(struct simulator *s);
void rename_cycle(struct simulator *s);
/* Returns the next cycle in which rename continues after a blocking instruction, or UNKNOWN if
 * rename is not blocked. */
int32_t rename_next(const struct simulator *s);

/* Functions of scheduler.c */
void scheduler_start(struct simulator *s);
/* Adds a µop of the current item. The µop waits for its sources, for @own µops of its item, and
 * until cycle @ready. */
void scheduler_add(struct simulator *s, uint32_t uop, unsigned own, int32_t ready);
/* Moves the µops that are ready in this cycle to the queues of their ports. */
void scheduler_wake(struct simulator *s);
/* Records that one more source of @w is known, which is ready in cycle @ready. */
void scheduler_source_known(struct simulator *s, struct waiting_uop *w, int32_t ready);
/* Adds @sign times @w to the sums for the hash of steady.c. */
static inline void scheduler_weigh(struct simulator *s, const struct waiting_uop *w, int sign)
{
    /* The queues of ports in rotation are interchangeable. */
    bool any = s->alike >> w->queue % PORTS_MAX & 1;
    uint64_t weight = (uint64_t)sign * (any ? 1u : 2u * w->queue + 3u) * 0x9e3779b97f4a7c15u;
    s->weights += weight;
    s->ages += weight * (uint64_t)w->age;
}
/* Removes the first µop of @q. */
void scheduler_leave(struct simulator *s, struct queue *q);
/* Returns the next cycle in which a µop can be dispatched, or UNKNOWN. Call it only if no µop was
 * dispatched in this cycle. */
int32_t scheduler_next(const struct simulator *s);

/* Functions of ports.c */
void ports_start(struct simulator *s);
/* Selects the queue of each µop of @item. */
void ports_bind(struct simulator *s, const struct plan_item *item);
/* Dispatches ready µops to free ports, oldest first. */
void ports_cycle(struct simulator *s);
/* Returns the position in the rotation of the port of the last load. */
unsigned ports_turn(const struct simulator *s);

/* Functions of writeback.c */

/* Computes the values that become known by the dispatch of @w. */
void writeback_dispatched(struct simulator *s, struct waiting_uop *w);
/* Computes the value or values of @w, a UOP_RENAMED or UOP_MERGED whose sources are known. */
void writeback_without_port(struct simulator *s, const struct waiting_uop *w);
/* Sets the value of @node in an iteration and wakes its readers. */
void writeback_value(struct simulator *s, const struct iteration *row, uint32_t node,
                     int32_t value);
/* Returns the cycle in which the value of @node is ready: at least @value, and no earlier than its
 * trailing sources allow. */
int32_t writeback_trailed(const struct simulator *s, const struct iteration *row,
                          const struct plan_node *node, int32_t value);

/* Functions of memory.c */
void memory_start(struct simulator *s);
/* Returns whether a slot and the banks of @load are free in this cycle, and marks them as used. */
bool memory_load(struct simulator *s, const struct plan_uop *load, int64_t iteration);
/* Returns the load slots in use after this cycle's loads, including slots of later cycles, in units
 * of 1 / SLOT_PARTS. */
int32_t memory_slots_owed(const struct simulator *s);
/* Commits retired stores to the cache. */
void memory_commit(struct simulator *s);

/* Functions of retire.c */
void retire_cycle(struct simulator *s);

/* Functions of steady.c */

/* Starts the detection of the steady state. @least and @enough: as in struct settle. */
void steady_start(struct simulator *s, double least, double enough);
/* Returns whether the state at the end of the iteration occurred before. If so, fills the
 * result. */
bool steady_repeats(struct simulator *s);
/* Returns whether the loop has settled at its bound. If so, fills the result. Called at the end of
 * each iteration. */
bool steady_settled(struct simulator *s);

#endif
