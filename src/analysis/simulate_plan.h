/* Internal to simulate*.c: the block as the simulator sees it, and the machine's state. */
#ifndef PORTOLAN_ANALYSIS_SIMULATE_PLAN_H
#define PORTOLAN_ANALYSIS_SIMULATE_PLAN_H

#include "analysis/simulate.h"

#define UNKNOWN INT32_MAX

enum uop_kind { UOP_COMPUTE, UOP_LOAD, UOP_ADDRESS, UOP_DATA, UOP_RENAMED /* no µop: values known at rename */ };
enum node_kind { NODE_COMPUTED, NODE_EARLY, NODE_STORED, NODE_AT_RETIREMENT };

struct plan_uop {
    portset ports;
    portset pipe;         /* blocking pipe it also takes; 0: none */
    int32_t hold;         /* cycles it holds the pipe */
    uint8_t kind;
};

struct plan_edge {
    uint32_t from, to;    /* nodes */
    uint32_t distance;    /* iterations */
    int32_t before, operation;   /* cycles: load or forwarding, then the operation */
    int16_t end;          /* enum latency_end */
    bool minor;           /* concerns one of several µops only: its value waits, the instruction does not */
};

/* An instruction, or two that fused into one. */
struct plan_item {
    uint32_t insn, members;
    uint32_t first_uop, uops;
    uint32_t first_edge, edges;
    uint32_t first_node, nodes;
    uint32_t issue, decode;
    int32_t latency, load_latency;   /* cycles; the load's from its dispatch to its operation */
    bool complex, fusible, branch, load, store;
    bool early;           /* has values that rename knows */
};

struct plan {
    struct plan_item *items;
    size_t item_count;
    struct plan_uop *uops;
    size_t uop_count, uop_capacity;
    struct plan_edge *edges;
    int32_t *node_latency;     /* operation part towards each node */
    uint8_t *node_kind;       /* enum node_kind */
    size_t node_count;
    uint32_t *item_of;         /* instruction -> item */
    uint32_t *start;           /* byte offset of each instruction; count + 1 */
    uint8_t *opcode;           /* offset of its opcode */
    size_t insn_count;
    uint32_t longest_distance;
    size_t capacity, edge_capacity, node_capacity, item_capacity;
};

void plan_build(struct plan *p, const struct block_work *w, const struct insn *insns, size_t count);
void plan_done(struct plan *p);

/* The front end's state; counts are over all iterations. */
struct front {
    const struct plan *plan;
    const struct core *core;
    const struct insn *insns;
    enum shape shape;
    enum frontend_source source;
    unsigned align;
    int64_t predecoded, visible;    /* instructions; visible ones were there before this cycle */
    int64_t delivered;              /* items in the queue in front of rename, ever */
    int64_t block;                  /* 16-byte block under the predecoder, from the first byte of all */
    int32_t stall, decode_stall;
    bool lcp_paid, crossing_paid, one_line;
    unsigned copies;                /* of the loop in the loop buffer */
    int32_t queued;                 /* µops in the queue */
};

void front_start(struct front *f, const struct plan *plan, const struct block_work *w, const struct insn *insns, const struct block_options *options,
                 const struct frontend *bound);
/* One cycle; @item_delivered is called for each item put into the queue. False when nothing changed. */
bool front_cycle(struct front *f, void (*item_delivered)(void *state, int64_t item), void *state);
/* Appends what decides its future, seen from iteration @base, to @out (at least FRONT_STATE places); returns how many. */
#define FRONT_STATE 12
size_t front_state(const struct front *f, int64_t base, int32_t *out);

#endif
