/* Computes all bounds of a repeating block in cycles per iteration. Model `bounds` predicts their
 * maximum. */
#ifndef PORTOLAN_ANALYSIS_BOUNDS_H
#define PORTOLAN_ANALYSIS_BOUNDS_H

#include "analysis/deps.h"
#include "analysis/frontend.h"
#include "analysis/issue.h"
#include "analysis/replays.h"
#include "base/str.h"

enum bound_kind {
    BOUND_PORTS, BOUND_PIPES, BOUND_ISSUE, BOUND_FRONTEND, BOUND_DEPENDENCIES, BOUND_MEMORY,
    BOUND_RETIRE, BOUND_COUNT
};

/* What determines the memory bound: loads or stores per cycle (facts loads_per_cycle,
 * stores_per_cycle), written lines (store_lines_per_cycle), places (bank conflicts, accesses that
 * cross lines, wide stores) or replayed loads */
enum accesses_by {
    ACCESSES_LOADS, ACCESSES_STORES, ACCESSES_LINES, ACCESSES_PLACES, ACCESSES_AGAIN
};

struct bounds {
    double cycles[BOUND_COUNT];      /* cycles per iteration; NaN: not modelled on this machine */
    struct frontend frontend;
    struct issue issue;              /* issue bound, without microcode measured in isolation */
    enum accesses_by accesses;
    /* cache lines written per iteration; stores that share a write count once. 0: unknown */
    double line_writes;
    portset bottleneck_ports;        /* ports that attain the port bound; 0 unless requested */
    double total;                    /* largest of @cycles */
    enum bound_kind bottleneck;
    /* whether the machine has no row for a form; the bounds are then lower bounds */
    bool unknown;
    bool estimate;                   /* whether the machine's row of a form is an estimate */
    /* one bit per bound: whether the bound contains a fitted mean (replays, delays of the chain) */
    unsigned fitted;
    /* cycles if the two-cycle operations of the limiting chain take one cycle (fact
     * unhurried_ports); NaN: the cycles do not depend on these operations */
    double unhurried;
    bool open;
    /* whether an operation of unknown latency is assumed to take one cycle in a loop-carried
     * dependence cycle */
    bool guessed;
};

struct block_options {
    enum shape shape;
    enum start_values start;
    unsigned align;                  /* address of the first byte modulo 64 */
    struct known_forwards known;     /* store-to-load links observed in runs; empty without runs */
};

/* Upper bound, for common loops, of the bytes of memory per instruction of a block. The simulation
 * needs most of these bytes. */
#define BLOCK_BYTES_EACH 2048

/* Working storage, reused for successive blocks. One thread. */
struct block_work {
    struct core *core;
    struct throughput *throughput;
    struct costs costs;
    struct deps deps;
    struct replays replays;
    struct mass *plain;              /* masses of the µops on ports that are not blocking pipes */
    size_t plain_capacity;
    double total;                    /* largest bound in cycles per iteration; 0: unknown */
    /* largest bound without effects that the simulator lacks: replays, delays of the chain, page
     * walks, assists, microcode measured in isolation; 0: unknown */
    double least;
};
/* Creates working storage for blocks on @m. Borrows @m. */
struct block_work *block_work_new(const struct machine *m);
void block_work_free(struct block_work *w);

/* Computes the bounds of a block. The costs and dependencies remain valid in @w until the next
 * call. Computes bottleneck_ports only if @want_ports is true. */
void bounds_of(struct block_work *w, const struct insn *insns, size_t count,
               const struct block_options *options, bool want_ports, struct bounds *out);
/* Returns whether the measured @cycles of @insns refute the machine: they are more than 3 % below a
 * bound. Compares the bounds of ports, issue width, and loads and stores per cycle, if they contain
 * no fitted means. Appends the reason, such as "below the ports bound of skylake, 2.00 cycles".
 * Returns false if the machine's row of a form is an estimate. */
bool bounds_refute(struct block_work *w, const struct insn *insns, size_t count, double cycles,
                   struct str *reason);
/* Returns the cycles of the loads including replays. Loads are replayed if their address comes
 * directly from a load (fact load_replays), or if they read a store (fact forward_replays). Returns
 * at least the cycles of vector loads among other accesses (fact vector_loads_mixed); 0: none or
 * unknown. Call it after bounds_of on the same block. */
double bounds_replays(const struct block_work *w, const struct insn *insns, size_t count);
/* Returns the cycles per iteration of microcode assists for x87 operands, during which no other
 * instruction executes. Returns 0 unless the start is START_MEASURED. The bound of dependencies
 * must include these cycles. */
double bounds_assists(const struct core *c, const struct insn *insns, size_t count,
                      const struct block_options *options);
/* Prefixes of a number of cycles. cycles_words returns that for a sentence ("at least ", "about ",
 * "at least about ", ""), and cycles_sign that for a table (">=", "~", ">~", ""). @least: whether
 * the number is a lower bound. @estimate: whether it is an estimate. */
const char *cycles_words(bool least, bool estimate);
const char *cycles_sign(bool least, bool estimate);
/* Returns the name of a bound as in the JSON keys: "ports", "dividers", "issue", ... */
const char *bound_name(enum bound_kind kind);

#endif
