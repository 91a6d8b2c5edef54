/* Dependencies of a repeating block through registers and their parts, groups of flags, and
 * memory */
#ifndef PORTOLAN_ANALYSIS_DEPS_H
#define PORTOLAN_ANALYSIS_DEPS_H

#include "analysis/addresses.h"
#include "analysis/cost.h"
#include "analysis/cycle_ratio.h"

/* Node of the graph: a value that an instruction produces */
struct dep_node {
    uint32_t insn;
    int16_t end;        /* written operand (enum latency_end) */
    uint8_t resource;   /* register, or one of the resources below */
};
enum {
    RESOURCE_CARRY = INSN_REGISTERS,
    RESOURCE_FLAGS,
    RESOURCE_HIGH,                          /* ah, ch, dh, bh */
    /* order of locked instructions, serialising instructions and barriers */
    RESOURCE_FENCE = RESOURCE_HIGH + 4,
    RESOURCE_COMMIT,                        /* order in which stores reach the cache */
    RESOURCE_MEMORY,
    RESOURCE_COUNT,
};

/* Graph of values, reused between calls. The caller initialises it to zero. One thread. */
struct deps {
    struct dep_node *nodes;
    size_t node_count, node_capacity;
    /* dependences between values, ordered by consuming instruction; weights in hundredths of a
     * cycle */
    struct ratio_edge *edges;
    /* per edge: the operand that reads the value (enum latency_end) */
    int16_t *ends;
    /* per edge: part of the weight before the operation starts, such as a load, in hundredths of a
     * cycle */
    int32_t *before;
    /* per edge: whether the latency of the operation is unknown and assumed to be one cycle */
    bool *guessed;
    size_t edge_count, edge_capacity;
    /* index of the first node of each instruction; count + 1 entries */
    uint32_t *first_node;
    size_t first_capacity;
    /* Numbers of forwarded loads without lock prefix. @forwarded: from plain stores (fact
     * forward_replays). @forwarded_modified: from read-modify-writes (forward_replays_modify). */
    uint32_t forwarded, forwarded_modified;
    /* number of loads that memory renaming connects to stores (fact memory_renaming) */
    uint32_t renamed;
    uint32_t renamed_plain;          /* number of @renamed loads that are not part of a
                                      * read-modify-write */
    /* input of deps_build: whether two-cycle operations on unhurried_ports take one cycle */
    bool unhurried;
    /* whether a latency is unknown and assumed to be 0: that of a load whose address the block
     * computes, or of store forwarding */
    bool open;
    struct address_work addresses;
    struct ratio_work ratio;
};
void deps_done(struct deps *d);

/* Builds the nodes and edges of @insns, whose costs on @c are @costs. They are incomplete when
 * cancelled. */
void deps_build(struct core *c, const struct insn *insns, const struct costs *costs,
                enum start_values start, const struct known_forwards *known, struct deps *d);
/* Returns whether all latencies are whole cycles, as the simulator requires. */
bool deps_whole(const struct deps *d);

/* Returns the loop-carried bound in cycles per iteration, the maximum cycle ratio; 0 if there is
 * no cycle. Sets @on_cycle (@count entries, or NULL) to whether each instruction is on the
 * cycle. */
double deps_bound(struct deps *d, bool *on_cycle, size_t count);
/* Returns the bound of deps_bound if the address of instruction i is needed waits[i] cycles
 * earlier, as for a cache miss. Only dependence cycles through addresses, such as pointer chases,
 * become longer. */
double deps_bound_waiting(struct deps *d, const double *waits);
/* Finds a cycle of maximum ratio that contains no instruction marked in @without (NULL: no marks).
 * Stores its edges in order, at most @most, in @out. Returns their number. Sets *@cycles to the
 * cycles per iteration; 0 if there is no cycle. */
size_t deps_cycle(struct deps *d, const bool *without, uint32_t *out, size_t most, double *cycles);
/* Sets out[i] for each instruction whose guessed latency is part of a loop-carried dependence
 * cycle; @out may be NULL. Returns whether there is such an instruction. */
bool deps_guessed(const struct deps *d, bool *out);
/* Returns the cycles of the longest path through one iteration. Sets @on_path (@count entries, or
 * NULL) to whether each instruction is on the path. */
double deps_critical_path(const struct deps *d, bool *on_path, size_t count);

#endif
