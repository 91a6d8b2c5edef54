/* Dependencies of a repeating block: registers with their parts, flags by group, memory. */
#ifndef PORTOLAN_ANALYSIS_DEPS_H
#define PORTOLAN_ANALYSIS_DEPS_H

#include "analysis/addresses.h"
#include "analysis/cost.h"
#include "analysis/cycle_ratio.h"

/* A node is a value that an instruction makes. */
struct dep_node {
    uint32_t insn;
    int16_t end;        /* enum latency_end of the written operand */
    uint8_t resource;   /* register root, or one of those below */
};
enum {
    RESOURCE_CARRY = INSN_REGISTERS,
    RESOURCE_FLAGS,
    RESOURCE_HIGH,                          /* ah ch dh bh */
    /* locked and serialising instructions wait for each other */
    RESOURCE_FENCE = RESOURCE_HIGH + 4,
    RESOURCE_COMMIT,                        /* stores reach the cache in order */
    RESOURCE_MEMORY,
    RESOURCE_COUNT,
};

/* Reused between calls; zero-initialised at first. One thread. */
struct deps {
    struct dep_node *nodes;
    size_t node_count, node_capacity;
    /* from value to value, in the order of the instructions they lead to; weights in hundredths of
     * a cycle */
    struct ratio_edge *edges;
    /* per edge: enum latency_end of the operand that reads its value */
    int16_t *ends;
    /* per edge: the part of its weight before the operation (load, forwarded store), hundredths */
    int32_t *before;
    size_t edge_count, edge_capacity;
    uint32_t *first_node;            /* per instruction, count + 1 */
    size_t first_capacity;
    /* loads that find a store; that of a read-modify-write (facts forward_replays...) */
    uint32_t forwarded, forwarded_modified;
    /* loads whose store is found at rename (fact memory_renaming) */
    uint32_t renamed;
    uint32_t renamed_plain;          /* those that do not store themselves */
    /* set before deps_build: operations of two cycles on unhurried_ports take one */
    bool unhurried;
    /* a load or a store of unknown latency is on the chain, and counted as 0 */
    bool open;
    struct address_work addresses;
    struct ratio_work ratio;
};
void deps_done(struct deps *d);

/* Builds nodes and edges of @insns with their costs on @c. */
void deps_build(struct core *c, const struct insn *insns, const struct costs *costs,
                enum start_values start, const struct known_forwards *known, struct deps *d);
/* Whether all latencies are whole cycles, as those of a simulation are. */
bool deps_whole(const struct deps *d);

#endif
