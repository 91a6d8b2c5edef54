/* Internal to simulate/: a block prepared for simulation. It is built once per block. */
#ifndef PORTOLAN_SIMULATE_PLAN_H
#define PORTOLAN_SIMULATE_PLAN_H

#include <math.h>

#include "base/vec.h"
#include "simulate/simulation.h"

#define UNKNOWN INT32_MAX     /* value of an unknown cycle */
/* cycles of a store's commit that overlap with its retirement in the simulation */
#define COMMIT_OVERLAP 2

/* UOP_RENAMED: not a µop; its value is known at rename. UOP_MERGED: not a µop; its new flags
 * depend on older flags. */
enum uop_kind { UOP_COMPUTE, UOP_LOAD, UOP_ADDRESS, UOP_DATA, UOP_RENAMED, UOP_MERGED };
enum node_kind { NODE_COMPUTED, NODE_EARLY, NODE_STORED, NODE_AT_RETIREMENT, NODE_KINDS };

/* A value for which a µop or another value waits, and the delay. Values are indexed by iteration,
 * then by node. */
struct plan_source {
    /* index of the value (node - distance * number of nodes), relative to the first value of the
     * reader's iteration */
    int32_t place;
    int32_t add;          /* cycles from the value's ready cycle to the reader's */
};

/* A µop that waits for a value */
struct plan_reader {
    /* index of the µop (µop + distance * number of µops), relative to the first µop of the
     * value's iteration */
    uint32_t ahead;
    int32_t add;          /* cycles from the value's ready cycle to the reader's */
};

struct plan_uop {
    portset ports;
    /* blocking pipe that the µop also occupies, or the selected port itself if the port is part of
     * the pipe; 0: none */
    portset pipe;
    int32_t hold;         /* cycles for which the pipe is blocked */
    uint8_t kind;         /* enum uop_kind */
    uint16_t choice;      /* index of the µop's combination of ports and pipe (plan.choices) */
    uint16_t pipe_choice; /* index of the µop's pipe (plan.pipe_choices) */
    /* number of µops of the same item for which the µop waits: the load, the last computing
     * µop */
    uint16_t own;
    uint32_t symbol;      /* symbol of a load with a known address (struct access) */
    /* size in bytes of a load with a known address; 0 if the address is unknown */
    uint16_t bytes;
    bool vector;          /* load with a known address: whether the instruction uses vectors */
    /* offset, and stride per iteration, of a load with a known address (struct access) */
    uint64_t offset, step;
    /* index of the first entry in places, and number of entries minus one */
    uint32_t first_place, place_mask;
    uint32_t item;
    uint32_t node;        /* UOP_RENAMED: index of the value's node */
    uint32_t first_source, sources;
};

/* A value of the dependence graph */
struct plan_node {
    int32_t latency;      /* latency of the operation in cycles */
    int32_t reach;        /* largest delay from the value to a reader, in cycles */
    uint32_t item;        /* index of the value's item */
    uint8_t kind;         /* enum node_kind */
    bool read;            /* whether the value has readers */
    bool merged;          /* whether UOP_MERGED publishes the value */
    uint32_t first_reader, readers;   /* range of the readers, sorted by distance, nearest first */
    /* range of the trailing sources, which delay the value although no µop waits for them */
    uint32_t first_trail, trails;
};

struct plan_edge {
    uint32_t from, to;    /* indices of nodes */
    uint32_t distance;    /* iterations from producer to reader */
    /* cycles before the operation (load or forwarding), and cycles of the operation */
    int32_t before, operation;
    int16_t end;          /* operand that reads the value (enum latency_end) */
    /* whether the source delays only one of several values, not the whole instruction */
    bool minor;
    bool follows;         /* whether the edge orders fences or a barrier, without a value */
};

/* An instruction in the predecoder */
struct plan_insn {
    uint8_t length, opcode;   /* length in bytes, and offset of the opcode */
    bool lcp;                 /* whether the instruction has a length-changing prefix */
};

/* An instruction, together with the instructions that are fused with it */
struct plan_item {
    uint32_t insn, members;
    /* range of the item's µops; a UOP_RENAMED per NODE_EARLY and a UOP_MERGED follow if the item
     * has them */
    uint32_t first_uop, uops;
    uint32_t first_edge, edges;
    uint32_t first_node, nodes;
    uint32_t issue, decode;          /* slots at rename, and µops at the decoders */
    /* latency of the operation, and cycles from the load's dispatch to the operation */
    int32_t latency, load_latency;
    /* hundredths of cycles for which the item occupies the microcode sequencer; 0: it does not */
    int32_t alone;
    /* cycles from the first computing µop to the store data */
    int32_t until_data;
    uint16_t computing;              /* number of computing µops */
    uint32_t limited[DISPATCH_LIMITS_MAX];   /* number of µops to which each limit of fact
                                              * dispatch_limits applies */
    /* number of eliminated moves, and of eliminated moves of zero (facts eliminate_per_cycle,
     * eliminate_zero_per_cycle) */
    uint32_t moves, zeroes;
    /* minimum number of free slots in the rename group; 1: no condition */
    uint32_t group_room;
    int32_t room;                    /* minimum number of free scheduler entries */
    bool complex, fusible, branch, load, store;
    bool merges;                     /* whether the item has a UOP_MERGED */
    /* whether the item has values with latency but no µops; it then retires after these values */
    bool delayed;
    bool split;                      /* whether load and operation are unlaminated at rename */
    bool joins;                      /* whether the item is a move that fuses with the next item and
                                      * needs no decoder */
    bool data;                       /* whether the item has a store-data µop */
    struct access stored;            /* memory access of the item's store */
    uint32_t next_store;             /* index of the next item with a store; for the last such item,
                                      * index of the first such item */
    /* range in plan.listed of all values of the item with readers, and ranges of these values by
     * kind */
    uint32_t first_value, values;
    uint32_t first_listed[NODE_KINDS], listed[NODE_KINDS];
    /* latency of the slowest computed value without readers; -1 if there is none */
    int32_t unread;
};

/* Returns whether a µop of @kind waits for the load of its own item. Returns false for a renamed
 * load, because computing µops then read the forwarded value, and store-data µops read its
 * source. */
static inline bool behind_load(const struct plan_item *item, uint8_t kind)
{
    bool renamed = item->load_latency <= 0 && item->computing;
    return item->load && !renamed && (kind == UOP_COMPUTE || kind == UOP_DATA);
}

/* Returns whether the stored value is ready as soon as it is computed, because the item has no
 * store-data µop. */
static inline bool stored_when_computed(const struct plan_item *item)
{
    return item->load && item->computing && !item->data;
}

/* Use of the first-level cache by a load */
struct plan_place {
    uint32_t banks;       /* bit set of the banks that the load accesses; 0: unknown banks */
    int32_t slots;        /* load slots that the load uses, in parts (SLOT_PARTS) */
};

/* Arrays for the whole block, in the order of the items */
struct plan {
    VEC(struct plan_item) items;
    VEC(struct plan_uop) uops;
    VEC(struct plan_edge) edges;
    VEC(struct plan_node) nodes;
    VEC(uint32_t) listed;      /* indices of the listed values, as nodes */
    VEC(struct plan_source) sources;
    VEC(struct plan_reader) readers;
    VEC(struct plan_insn) insns;
    VEC(struct plan_place) places;
    uint32_t length;           /* size of the code in bytes */
    uint32_t longest_distance; /* longest dependence in iterations */
    /* @banked: whether loads wait for banks. @pairs: whether stores to one line commit in
     * pairs. */
    bool banked, pairs;
    uint32_t first_store;      /* index of the first item with a store */
    /* number of iterations after which the offsets of loads and stores in lines repeat */
    uint32_t phases;
    /* @choices: number of combinations of ports and pipe. @pipe_choices: number of pipes, plus 1
     * for "no pipe". */
    uint32_t choices, pipe_choices;
};

/* value of a missing limit: a power of two above the range of the facts that whole() converts */
#define UNLIMITED (1 << 20)

/* Returns a fact of a core as an integer, or UNLIMITED if the core lacks it. */
static inline int32_t whole(double fact)
{
    return isnan(fact) ? UNLIMITED : (int32_t)fact;
}

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count);
void plan_done(struct plan *p);
void plan_connect(struct plan *p);
void plan_accesses(struct plan *p, const struct block_work *w);

#endif
