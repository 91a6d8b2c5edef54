/* Internal to simulate/: the block as the simulator sees it, worked out once before it runs. */
#ifndef PORTOLAN_SIMULATE_PLAN_H
#define PORTOLAN_SIMULATE_PLAN_H

#include <math.h>

#include "base/vec.h"
#include "simulate/simulate.h"

#define UNKNOWN INT32_MAX     /* a cycle that is not known yet */
#define COMMIT_OVERLAP 2      /* cycles of a store's way to the cache that retirement takes here */

/* RENAMED: no µop, values that rename knows. MERGED: no µop, flags that wait for older ones. */
enum uop_kind { UOP_COMPUTE, UOP_LOAD, UOP_ADDRESS, UOP_DATA, UOP_RENAMED, UOP_MERGED };
enum node_kind { NODE_COMPUTED, NODE_EARLY, NODE_STORED, NODE_AT_RETIREMENT, NODE_KINDS };

/* A value that something waits for, and how long after it. Values lie by iteration, then by
 * node. */
struct plan_source {
    /* node - distance * nodes: from the first value of the reader's iteration */
    int32_t place;
    int32_t add;          /* cycles */
};

/* A µop that waits for a value. */
struct plan_reader {
    uint32_t ahead;       /* distance * µops + µop: from the first µop of the value's iteration */
    int32_t add;          /* cycles */
};

struct plan_uop {
    portset ports;
    /* blocking pipe that it also takes; its ports: the chosen one; 0: none */
    portset pipe;
    int32_t hold;         /* cycles that it holds the pipe */
    uint8_t kind;         /* enum uop_kind */
    uint16_t choice;      /* of (ports, pipe) among those of the block: see struct plan */
    uint16_t pipe_choice; /* of the pipe alone */
    uint16_t own;         /* its wait within its item: for the load, the last computing µop */
    uint32_t symbol;      /* of a load whose place is known: as in struct access */
    uint16_t bytes;       /* of such a load; 0: its place is not known */
    uint64_t offset, step;  /* of such a load: as in struct access */
    uint32_t first_place, place_mask;   /* its places: of iteration 0; the period less one */
    uint32_t item;
    uint32_t first_source, sources;
};

/* A value. */
struct plan_node {
    int32_t latency;      /* of the operation, cycles */
    int32_t reach;        /* cycles for which it still matters after it is ready */
    uint32_t item;        /* whose value it is */
    uint8_t kind;         /* enum node_kind */
    bool read;            /* something waits for it */
    bool merged;          /* the UOP_MERGED makes it known */
    uint32_t first_reader, readers;   /* nearest first */
    /* sources that delay the value, though no µop waits for them */
    uint32_t first_trail, trails;
};

struct plan_edge {
    uint32_t from, to;    /* nodes */
    uint32_t distance;    /* iterations */
    int32_t before, operation;   /* cycles: load or forwarding, then the operation */
    int16_t end;          /* enum latency_end */
    bool minor;           /* delays one of several values only, not the instruction */
    bool follows;         /* from a fence to the next one, or from all to a barrier */
};

/* An instruction as the predecoder sees it. */
struct plan_insn {
    uint8_t length, opcode;   /* bytes; offset of the opcode */
    bool lcp;                 /* has a length-changing prefix */
};

/* An instruction, or two that are macro-fused. */
struct plan_item {
    uint32_t insn, members;
    /* followed by a UOP_RENAMED and a UOP_MERGED, if any */
    uint32_t first_uop, uops;
    uint32_t first_edge, edges;
    uint32_t first_node, nodes;
    uint32_t issue, decode;          /* slots at rename; µops from the decoders */
    int32_t latency, load_latency;   /* cycles; the load's from its dispatch to the operation */
    /* cycles that it takes rename alone, hundredths; 0: by its slots */
    int32_t alone;
    /* cycles from the first µop that computes to the stored data */
    int32_t until_data;
    uint16_t computing;              /* µops that compute */
    uint32_t limited[DISPATCH_LIMITS_MAX];   /* µops of each kind of dispatch_limits */
    uint32_t moves, zeroes;          /* that rename does, of eliminate_per_cycle and its like */
    uint32_t group_room;             /* slots that its group at rename must have left; 1: any */
    int32_t room;                    /* scheduler entries that must be free to enter */
    bool complex, fusible, branch, load, store;
    bool merges;                     /* has a UOP_MERGED */
    /* no µop, but its values take time, and it retires after them */
    bool late;
    bool split;                      /* a load and its operation, unlaminated at rename */
    bool joins;                      /* takes no decoder: the next item is decoded with it */
    bool data;                       /* has a µop that takes the data to store */
    struct access stored;            /* its store */
    uint32_t next_store;             /* item: the next that stores; for the last the first */
    uint32_t first_value, values;    /* its values that are read, in listed; kind by kind: */
    uint32_t first_listed[NODE_KINDS], listed[NODE_KINDS];
    int32_t unread;                  /* latency of its slowest computed value not read; -1: none */
};

/* Whether a µop of @kind waits for its own load. A load renamed to a register is no wait: computing
 * µops then wait for that value as their source, and the store's data for those. */
static inline bool behind_load(const struct plan_item *item, uint8_t kind)
{
    bool renamed = item->load_latency <= 0 && item->computing;
    return item->load && !renamed && (kind == UOP_COMPUTE || kind == UOP_DATA);
}

/* Whether the stored value is there when it is computed, since no µop takes it. */
static inline bool stored_when_computed(const struct plan_item *item)
{
    return item->load && item->computing && !item->data;
}

/* Use of the first-level cache by a load. */
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
    VEC(struct plan_source) sources;
    VEC(struct plan_reader) readers;
    VEC(struct plan_insn) insns;
    VEC(struct plan_place) places;
    uint32_t length;           /* bytes */
    uint32_t longest_distance; /* iterations */
    bool banked, pairs;        /* loads wait for banks; stores leave by lines */
    uint32_t first_store;      /* item */
    /* iterations after which loads are at the same places of their lines */
    uint32_t phases;
    uint32_t choices, pipe_choices;   /* distinct (ports, pipe); distinct pipes, none among them */
};

#define UNLIMITED (1 << 20)   /* more than any fact may be, a power of two */

/* A fact of the core as a whole number; unmodelled ones limit nothing. */
static inline int32_t whole(double fact)
{
    return isnan(fact) ? UNLIMITED : (int32_t)fact;
}

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count);
void plan_done(struct plan *p);
/* plan_sources.c, a part of plan_build: dependences. */
void plan_connect(struct plan *p);
/* memory.c, a part of plan_build: where loads and stores are in the first-level cache. */
void plan_accesses(struct plan *p, const struct core *c, const struct address_work *work);

#endif
