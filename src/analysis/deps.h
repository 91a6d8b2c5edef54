/* Dependencies of a repeating block: registers and their parts, flags by group, memory. */
#ifndef PORTOLAN_ANALYSIS_DEPS_H
#define PORTOLAN_ANALYSIS_DEPS_H

#include "analysis/addresses.h"
#include "analysis/cost.h"
#include "analysis/cycle_ratio.h"

/* Node of the graph: a value that an instruction produces. */
struct dep_node {
    uint32_t insn;
    int16_t end;        /* enum latency_end of the written operand */
    uint8_t resource;   /* register root, or one of the resources below */
};
enum {
    RESOURCE_CARRY = INSN_REGISTERS,
    RESOURCE_FLAGS,
    RESOURCE_HIGH,                          /* ah ch dh bh */
    /* order of locked and serialising instructions */
    RESOURCE_FENCE = RESOURCE_HIGH + 4,
    RESOURCE_COMMIT,                        /* order in which stores reach the cache */
    RESOURCE_MEMORY,
    RESOURCE_COUNT,
};

/* Reused between calls; zero-initialised at first. One thread. */
struct deps {
    struct dep_node *nodes;
    size_t node_count, node_capacity;
    /* edges between values, ordered by the consuming instruction; weights in hundredths of a
     * cycle */
    struct ratio_edge *edges;
    /* per edge: enum latency_end of the operand that reads the value */
    int16_t *ends;
    /* per edge: part of its weight before the operation (load, forwarding), hundredths */
    int32_t *before;
    size_t edge_count, edge_capacity;
    uint32_t *first_node;            /* per instruction, count + 1 */
    size_t first_capacity;
    /* loads that read a store; including read-modify-writes (facts forward_replays...) */
    uint32_t forwarded, forwarded_modified;
    /* loads renamed to their store (fact memory_renaming) */
    uint32_t renamed;
    uint32_t renamed_plain;          /* those that are not read-modify-writes */
    /* input of deps_build: two-cycle operations on unhurried_ports take one cycle */
    bool unhurried;
    /* a load or store on the chain has unknown latency, counted as 0 */
    bool open;
    struct address_work addresses;
    struct ratio_work ratio;
};
void deps_done(struct deps *d);

/* Builds nodes and edges of @insns with their costs on @c. */
void deps_build(struct core *c, const struct insn *insns, const struct costs *costs,
                enum start_values start, const struct known_forwards *known, struct deps *d);
/* Returns whether all latencies are whole cycles, as in a simulation. */
bool deps_whole(const struct deps *d);

/* deps_paths.c: cycles and paths through the dependencies of a block: loop-carried bound and
 * critical path. */

/* Loop-carried bound in cycles per iteration (maximum cycle ratio), 0 without a cycle. Sets @lines
 * (count entries, may be NULL) for each instruction on the cycle. */
double deps_bound(struct deps *d, bool *on_cycle, size_t count);
/* Returns a cycle of the maximum ratio among the values of instructions outside @without (NULL:
 * all), as edges in order. Fills at most @most of @out and returns their number. *@cycles per
 * iteration, 0 without a cycle. */
size_t deps_cycle(struct deps *d, const bool *without, uint32_t *out, size_t most, double *cycles);
/* Longest path through one iteration, in cycles. Sets @on_path for each instruction on it. */
double deps_critical_path(const struct deps *d, bool *on_path, size_t count);

#endif
