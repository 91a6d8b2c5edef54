/* Internal to simulate/: the block as the simulator sees it, and the front end that delivers it. */
#ifndef PORTOLAN_SIMULATE_PLAN_H
#define PORTOLAN_SIMULATE_PLAN_H

#include <math.h>

#include "analysis/windows.h"
#include "simulate/simulate.h"
#include "base/vec.h"

#define UNKNOWN INT32_MAX

enum uop_kind { UOP_COMPUTE, UOP_LOAD, UOP_ADDRESS, UOP_DATA, UOP_RENAMED /* no µop: values known at rename */, UOP_MERGED /* no µop: flags that wait for older ones */ };
enum node_kind { NODE_COMPUTED, NODE_EARLY, NODE_STORED, NODE_AT_RETIREMENT, NODE_KINDS };

/* A value that something waits for, and how long after it. Values lie by iteration, then by node. */
struct plan_source {
    int32_t place;        /* node - distance * nodes: from the first value of the iteration that waits */
    int32_t add;          /* cycles */
};

/* A µop that waits for a value. */
struct plan_reader {
    uint32_t ahead;       /* distance * µops + µop: from the first µop of the value's iteration */
    int32_t add;          /* cycles */
};

struct plan_uop {
    portset ports;
    portset pipe;         /* blocking pipe it also takes; 0: none */
    int32_t hold;         /* cycles it holds the pipe */
    uint8_t kind;
    int8_t only;          /* the port, where there is but one; else -1 */
    uint16_t choice;      /* of (ports, pipe) among those of the block, or of pipe alone: see struct plan */
    uint16_t pipe_choice;
    uint16_t own;         /* what it waits for within its item: the load, the last that computes */
    bool apart;           /* it holds something, or waits for banks */
    uint32_t turn;        /* the µop whose turn it is at this place of the item, where those that wait for others of it come after them */
    uint64_t term;        /* its part of hashes */
    uint32_t symbol;      /* of a load whose place is known: what it is relative to, as in struct access */
    uint16_t bytes;       /* of it; 0: not known */
    uint32_t first_place, place_mask;   /* of it, in places: of iteration 0, and how many follow before it comes back */
    uint32_t item;
    uint32_t first_source, sources;
};

/* A value. */
struct plan_node {
    int32_t latency;      /* operation part towards it */
    int32_t reach;        /* cycles for which it still matters when it was there */
    uint32_t carried;     /* iterations until its last reader, at most */
    uint32_t item;        /* whose value it is */
    uint8_t kind;         /* enum node_kind */
    bool read;            /* something waits for it */
    bool merged;          /* the UOP_MERGED makes it known */
    uint32_t first_reader, readers;   /* nearest first */
    uint32_t first_trail, trails;     /* sources that delay the value though no µop waits for them, where they are known */
};

struct plan_edge {
    uint32_t from, to;    /* nodes */
    uint32_t distance;    /* iterations */
    int32_t before, operation;   /* cycles: load or forwarding, then the operation */
    int16_t end;          /* enum latency_end */
    bool minor;           /* concerns one of several µops only: its value waits, the instruction does not */
};

/* An instruction as the predecoder sees it. */
struct plan_insn {
    uint8_t length, opcode;   /* bytes; offset of the opcode */
    bool lcp;                 /* a prefix changes its length */
};

/* An instruction, or two that fused into one. */
struct plan_item {
    uint32_t insn, members;
    uint32_t first_uop, uops;        /* after them a UOP_RENAMED when it lists values that are NODE_EARLY, and a UOP_MERGED */
    uint32_t first_edge, edges;
    uint32_t first_node, nodes;
    uint32_t issue, decode;
    int32_t latency, load_latency;   /* cycles; the load's from its dispatch to its operation */
    int32_t until_data;              /* from the first µop that computes to the one that takes the data */
    uint16_t computing;              /* µops that compute */
    uint32_t group_room;             /* slots of its group at rename that must be left; 1: any */
    int32_t room;                    /* entries that must be free in the scheduler: long microcoded instructions enter in parts */
    bool complex, fusible, branch, load, store;
    bool merges;          /* has a UOP_MERGED */
    bool plain;           /* one µop, which computes or loads, and no value but those of it */
    bool direct;          /* plain, and it tells nothing at rename or when it retires */
    bool split;           /* a load and its operation that rename parts */
    bool one_slot;        /* of rename, of any group */
    bool joins;           /* the next item: one instruction for decoders and lines of the µop cache */
    struct access stored; /* its store */
    uint32_t next_store;  /* item: the next that stores; for the last the first */
    bool data;            /* has a µop that takes the data to store */
    uint32_t first_value, values;    /* of its values that are read, in listed; kind by kind: */
    uint32_t first_listed[NODE_KINDS], listed[NODE_KINDS];
    int32_t unread;       /* latency of the slowest value that is computed and not read; -1: none */
    uint64_t needs, takes, leaves, gone;   /* in program order: entries that must be free, that it takes and that come free when it retires (lanes); its part of struct due's gone */
    uint32_t first_told, told;       /* where it is direct: its values that are read, in tellings */
    int32_t after;                   /* and the cycles from the dispatch of its µop until all it computes is there, but for what trails behind */
};

/* Whether a µop of @kind waits for its own load. A value that rename finds is there without it: what computes waits for that value, as its sources say, and the data for what computes. */
static inline bool behind_load(const struct plan_item *item, uint8_t kind)
{
    bool found = item->load_latency <= 0 && item->computing;
    return item->load && !found && (kind == UOP_COMPUTE || kind == UOP_DATA);
}
/* What is stored of an operation on memory is there when it is computed, also where no µop takes it. */
static inline bool stored_when_computed(const struct plan_item *item)
{
    return item->load && item->computing && !item->data;
}

/* A value of a direct item. */
struct plan_telling {
    uint32_t node;
    int32_t after;        /* cycles from the dispatch of the item's µop */
    bool trails;          /* it waits for others besides */
};

/* What a load takes of the first-level cache. */
struct plan_place {
    uint32_t banks;       /* bits */
    bool crosses;         /* from one line to the next */
};

/* All of a kind in one array, item by item. */
struct plan {
    VEC(struct plan_item) items;
    VEC(struct plan_uop) uops;
    VEC(struct plan_edge) edges;
    VEC(struct plan_node) nodes;
    VEC(uint32_t) listed;      /* nodes */
    VEC(struct plan_telling) tellings;
    VEC(struct plan_source) sources;
    VEC(struct plan_reader) readers;
    VEC(struct plan_insn) insns;
    VEC(struct plan_place) places;
    uint32_t length;           /* bytes */
    uint32_t longest_distance;
    bool banked, pairs;        /* loads wait for banks; stores leave by lines */
    uint32_t first_store;      /* item */
    uint32_t phases;           /* iterations after which all loads are at the same places of their lines again */
    uint32_t choices, pipe_choices;   /* distinct (ports, pipe); distinct pipes, none among them */
    bool in_order;             /* no µop waits for a younger one, and none for a value of its own item */
};

/* A fact of the core as a whole number, @otherwise when it is missing. */
static inline int32_t whole(double fact, int32_t otherwise)
{
    return isnan(fact) ? otherwise : (int32_t)fact;
}

/* Cycles of the wait for a store to reach the cache that retirement takes here. */
#define COMMIT_OVERLAP 2

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count);
/* The second part of plan_build: who waits for whom. */
void plan_wire(struct plan *p);
/* order_plan.c: in which order the µops of each item are looked at in program order, and whether there is one. */
void plan_turns(struct plan *p);
void plan_done(struct plan *p);
/* cache.c: where loads and stores are in the first-level cache. */
void cache_plan(struct plan *p, const struct core *c, const struct address_work *work);

/* Entries of the four buffers in the lanes of one number. Each holds LANE_MOST at most, and an item that many. */
enum lane { LANE_ROB = 0, LANE_SCHEDULER = 16, LANE_LOADS = 32, LANE_STORES = 48 };   /* bits below it */
#define LANE_MOST 0xfff
#define LANE_ZERO 0x4000400040004000u   /* added to what is free: a lane that falls below it shows in this bit */

static inline uint64_t in_lane(uint64_t entries, enum lane lane)
{
    return entries << lane;
}

/* A place in the endless stream of instructions or items. */
struct place {
    int64_t number;
    int64_t iteration;
    uint32_t index;       /* within the iteration */
};

static inline void place_next(struct place *at, size_t per_iteration)
{
    at->number++;
    if (++at->index == per_iteration) {
        at->index = 0;
        at->iteration++;
    }
}

/* What the decoders take in a cycle from an item on, when it is all there and the queue has room. */
struct decode_group {
    uint16_t items, members;
    int32_t uops, last;             /* into the queue; of them those of the last item */
    int32_t stall;                  /* cycles that they are busy with it afterwards */
    uint32_t first_members;         /* of the first item */
    int32_t first_uops;
};

struct front_node;

/* What a cycle of the front end does. */
struct front_step {
    const struct front_node *next;  /* NULL: not met yet */
    uint16_t items, uops;           /* delivered */
    bool moved;
};

/* A state of decoders and predecoder but for the room in the queue behind them: all that a cycle depends on besides that, so that each is worked out once. */
struct front_node {
    uint64_t place;                 /* bits: 16 first instruction to predecode, 16 first item to decode, 16 instructions between them, 8 where it begins from the 16 bytes on, 8 what has been paid for */
    uint64_t waits;                 /* cycles: 32 of the predecoder, 32 of the decoders */
    uint16_t chain;                 /* the next of its hash, 1 for the first */
    struct front_step steps[8];     /* by front_room */
};
#define FRONT_ROOMS (sizeof ((struct front_node *)NULL)->steps / sizeof (struct front_step))
#define FRONT_NODES 1024            /* a power of two */
struct front_nodes {
    uint32_t count;
    uint16_t first[FRONT_NODES];    /* by hash, 1 for the first */
    struct front_node nodes[FRONT_NODES];
};

/* The front end's state; counts are over all iterations. Of one that has a node, predecoded, visible, decoded, the iteration and index of delivered, at, block, stall, decode_stall and what is paid
 * for follow from that and are out of date. */
struct front {
    const struct plan *plan;
    struct decode_group *groups;    /* by their first item; none for those that only follow one by one */
    size_t group_capacity;
    struct front_nodes *nodes;
    const struct front_node *node;  /* NULL: the state is in the fields */
    int32_t room_most;              /* more room in the queue than that makes no difference */
    enum shape shape;
    enum frontend_source source;
    int64_t align;
    int32_t block_bytes, predecode_width, instruction_queue, decoders, complex_uops, uop_queue, lcp_penalty, stream_width, taken_branches;   /* facts */
    uint32_t microcode_width;
    bool streams;                   /* there is nothing to predecode: µop cache, loop buffer, fixed length and equal decoders */
    bool fusible_last;
    bool one_line;
    unsigned copies;                /* of the loop in the loop buffer */
    struct place predecoded;        /* instructions */
    int64_t visible;                /* of them there before this cycle */
    int64_t decoded;                /* of them taken by the decoders */
    struct place delivered;         /* items in the queue in front of rename, ever */
    int64_t at;                     /* first byte of the instruction under the predecoder; bytes count from the first line of all */
    int64_t block;                  /* of the 16 bytes under it */
    int32_t stall, decode_stall;
    bool lcp_paid, crossing_paid;
    bool moved;                     /* anything changed in this cycle */
    int32_t queued, room;           /* µops in the queue; room there without which no item enters */
    struct window_groups windows;   /* of a µop cache that delivers by windows; none for others */
    size_t window;                  /* the group that comes next or is coming */
    uint32_t window_left, window_wait;   /* instructions of it that are to come; cycles before they do */
};

void front_done(struct front *f);
void front_start(struct front *f, const struct plan *plan, const struct core *c, const struct block_work *w, const struct insn *insns, const struct block_options *options, const struct frontend *bound);
/* A cycle that was not met before. */
bool front_cycle_anew(struct front *f);
/* The queue's room as far as it matters. */
static inline unsigned front_room(const struct front *f)
{
    int32_t room = f->uop_queue - f->queued - f->room + 1;
    return room <= 0 ? 0 : (unsigned)(room < f->room_most ? room : f->room_most);
}
/* One cycle. False when nothing changed. */
static inline bool front_cycle(struct front *f)
{
    const struct front_step *step = f->node ? &f->node->steps[front_room(f)] : NULL;

    if (!step || !step->next)
        return front_cycle_anew(f);
    f->queued += step->uops;
    f->delivered.number += step->items;
    f->node = step->next;
    return step->moved;
}
/* Brings the fields up to date. */
void front_fill(struct front *f);
static inline uint64_t front_mixed(uint64_t place, uint64_t waits)
{
    uint64_t hash = place * 0xe7037ed1a0b428dbu + waits * 0x8ebc6af09c88c6e3u;
    return hash ^ hash >> 32;
}
/* A hash of what front_state writes, but for the queue and where it begins. */
static inline uint64_t front_hash(const struct front *f, int64_t base)
{
    if (f->streams)
        return f->windows.list.count ? front_mixed(f->window, (uint64_t)f->window_left << 32 ^ f->window_wait) : 0;
    if (f->node)
        return front_mixed(f->node->place, f->node->waits);
    return front_mixed((uint64_t)((f->predecoded.iteration - base) * 64 + (f->at - f->block) * 2 + f->crossing_paid) << 32 ^ f->predecoded.index, (uint64_t)f->stall << 32 ^ (uint64_t)f->decode_stall);
}
/* Appends what decides its future, seen from iteration @base, to @out (at least FRONT_STATE places); returns how many. */
#define FRONT_STATE 12
size_t front_state(struct front *f, int64_t base, int32_t *out);

#endif
