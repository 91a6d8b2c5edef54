/* Internal to simulate/: the block prepared for simulation, computed once. */
#ifndef PORTOLAN_SIMULATE_PLAN_H
#define PORTOLAN_SIMULATE_PLAN_H

#include <math.h>

#include "base/vec.h"
#include "simulate/simulation.h"

#define UNKNOWN INT32_MAX     /* a cycle not known yet */
#define COMMIT_OVERLAP 2      /* cycles of a store's commit that overlap with retirement here */

/* RENAMED: no µop, values known at rename. MERGED: no µop, flags that wait for older ones. */
enum uop_kind { UOP_COMPUTE, UOP_LOAD, UOP_ADDRESS, UOP_DATA, UOP_RENAMED, UOP_MERGED };
enum node_kind { NODE_COMPUTED, NODE_EARLY, NODE_STORED, NODE_AT_RETIREMENT, NODE_KINDS };

/* A value that something waits for, and the delay after it. Values are indexed by iteration, then
 * node. */
struct plan_source {
    /* node - distance * nodes: relative to the first value of the reader's iteration */
    int32_t place;
    int32_t add;          /* cycles */
};

/* A µop that waits for a value. */
struct plan_reader {
    uint32_t ahead;       /* distance * µops + µop: relative to the first µop of the value's
                           * iteration */
    int32_t add;          /* cycles */
};

struct plan_uop {
    portset ports;
    /* blocking pipe that it also takes; in its ports: the chosen one; 0: none */
    portset pipe;
    int32_t hold;         /* cycles that it blocks the pipe */
    uint8_t kind;         /* enum uop_kind */
    uint16_t choice;      /* index of (ports, pipe) in the block: see struct plan */
    uint16_t pipe_choice; /* index of the pipe alone */
    uint16_t own;         /* wait within its item: for the load, or the last computing µop */
    uint32_t symbol;      /* of a load with known address: as in struct access */
    uint16_t bytes;       /* of such a load; 0: unknown address */
    uint64_t offset, step;  /* of such a load: as in struct access */
    uint32_t first_place, place_mask;   /* its places: index for iteration 0; period minus one */
    uint32_t item;
    uint32_t first_source, sources;
};

/* A value. */
struct plan_node {
    int32_t latency;      /* of the operation, cycles */
    int32_t reach;        /* cycles after it is ready for which it still matters */
    uint32_t item;        /* its item */
    uint8_t kind;         /* enum node_kind */
    bool read;            /* it has readers */
    bool merged;          /* UOP_MERGED makes it known */
    uint32_t first_reader, readers;   /* nearest first */
    /* sources that delay the value without a waiting µop */
    uint32_t first_trail, trails;
};

struct plan_edge {
    uint32_t from, to;    /* nodes */
    uint32_t distance;    /* iterations */
    int32_t before, operation;   /* cycles: load or forwarding, then the operation */
    int16_t end;          /* enum latency_end */
    bool minor;           /* delays only one of several values, not the instruction */
    bool follows;         /* order of fences, or from all to a barrier */
};

/* An instruction in the predecoder. */
struct plan_insn {
    uint8_t length, opcode;   /* bytes; opcode offset */
    bool lcp;                 /* has a length-changing prefix */
};

/* An instruction, or a macro-fused pair. */
struct plan_item {
    uint32_t insn, members;
    /* followed by a UOP_RENAMED and a UOP_MERGED, if any */
    uint32_t first_uop, uops;
    uint32_t first_edge, edges;
    uint32_t first_node, nodes;
    uint32_t issue, decode;          /* slots at rename; µops from the decoders */
    int32_t latency, load_latency;   /* cycles; the load's from dispatch to the operation */
    /* cycles that rename takes for it alone, hundredths; 0: by slots */
    int32_t alone;
    /* cycles from the first computing µop to the store data */
    int32_t until_data;
    uint16_t computing;              /* number of computing µops */
    uint32_t limited[DISPATCH_LIMITS_MAX];   /* µops of each kind of dispatch_limits */
    uint32_t moves, zeroes;          /* eliminated ones, for eliminate_per_cycle and the like */
    uint32_t group_room;             /* slots that its group must have left; 1: any */
    int32_t room;                    /* scheduler entries that must be free */
    bool complex, fusible, branch, load, store;
    bool merges;                     /* has a UOP_MERGED */
    /* without µops, but its values take time, and it retires after them */
    bool late;
    bool split;                      /* load and operation unlaminated at rename */
    bool joins;                      /* needs no decoder: decoded with the next item */
    bool data;                       /* has a store-data µop */
    struct access stored;            /* its store */
    uint32_t next_store;             /* next storing item, cyclic */
    uint32_t first_value, values;    /* its values with readers, in listed, by kind: */
    uint32_t first_listed[NODE_KINDS], listed[NODE_KINDS];
    int32_t unread;                  /* latency of its slowest unread computed value; -1: none */
};

/* Returns whether a µop of @kind waits for its own item's load. Not for a renamed load: computing
 * µops then read that value, and the store's data its source. */
static inline bool behind_load(const struct plan_item *item, uint8_t kind)
{
    bool renamed = item->load_latency <= 0 && item->computing;
    return item->load && !renamed && (kind == UOP_COMPUTE || kind == UOP_DATA);
}

/* Returns whether the stored value is ready when computed, without a store-data µop. */
static inline bool stored_when_computed(const struct plan_item *item)
{
    return item->load && item->computing && !item->data;
}

/* First-level cache use of a load. */
struct plan_place {
    uint32_t banks;       /* bits */
    bool crosses;         /* crosses a line */
};

/* Arrays of each kind, by item. */
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
    bool banked, pairs;        /* loads wait for banks; stores commit by lines */
    uint32_t first_store;      /* item */
    /* period of loads' offsets in lines, in iterations */
    uint32_t phases;
    uint32_t choices, pipe_choices;   /* distinct (ports, pipe); distinct pipes including none */
};

#define UNLIMITED (1 << 20)   /* above any fact's range, a power of two */

/* A core's fact as an integer; an unmodelled one is unlimited. */
static inline int32_t whole(double fact)
{
    return isnan(fact) ? UNLIMITED : (int32_t)fact;
}

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count);
void plan_done(struct plan *p);
/* plan_sources.c, part of plan_build: dependences. */
void plan_connect(struct plan *p);
/* memory.c, part of plan_build: first-level cache accesses. */
void plan_accesses(struct plan *p, const struct core *c, const struct address_work *work);

#endif
