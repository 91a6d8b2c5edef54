/* Computes all bounds of a repeating block in cycles per iteration; their maximum is the prediction
 * of model `bounds`. */
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

/* Limit of memory accesses: accesses per cycle (facts loads_per_cycle, stores_per_cycle), lines
 * written (store_lines_per_cycle), bank conflicts, replays. */
enum accesses_by {
    ACCESSES_LOADS, ACCESSES_STORES, ACCESSES_LINES, ACCESSES_PLACES, ACCESSES_AGAIN
};

struct bounds {
    double cycles[BOUND_COUNT];      /* NaN: not modelled on this machine */
    struct frontend frontend;
    struct issue issue;              /* without the time that microcode takes alone */
    enum accesses_by accesses;       /* largest of the memory bounds */
    portset bottleneck_ports;        /* ports that attain the port bound; 0 unless requested */
    double total;                    /* the maximum */
    enum bound_kind bottleneck;
    bool unknown;                    /* a form is unknown: bounds are lower bounds */
    bool estimate;                   /* the machine's row of a form is an estimate */
    /* bit per bound: it contains a fitted mean, of replayed loads or operations */
    unsigned fitted;
    /* the latency of a load on a chain is unknown: dependencies is a lower bound */
    bool open;
};

struct block_options {
    enum shape shape;
    enum start_values start;
    unsigned align;                  /* address of the first byte modulo 64 */
    struct known_forwards known;     /* memory links observed in runs; empty for code alone */
};

/* Bytes of memory that bounds, analysis and simulation use per instruction of a block, mostly in
 * the simulator; an upper bound for common loops. */
#define BLOCK_BYTES_EACH 2048

/* Working storage, reused from block to block. One thread. */
struct block_work {
    struct core *core;
    struct throughput *throughput;
    struct costs costs;
    struct deps deps;
    struct replays replays;
    struct mass *plain;              /* masses outside the blocking pipes */
    size_t plain_capacity;
    double total;                    /* largest bound of the block; 0: unknown */
    /* largest bound without effects that the simulator lacks (replayed loads, page walks, assists,
     * microcode alone); 0: unknown */
    double least;
};
/* Creates storage for blocks on @m, which is borrowed as by core_new. */
struct block_work *block_work_new(const struct machine *m);
void block_work_free(struct block_work *w);

/* Computes the bounds of the block. @w keeps its costs and dependencies until the next call.
 * @want_ports also finds the limiting ports. */
void bounds_of(struct block_work *w, const struct insn *insns, size_t count,
               const struct block_options *options, bool want_ports, struct bounds *out);
/* Returns whether the measured @cycles of @insns are below the bound of the ports, the issue width
 * or the loads and stores per cycle. Then appends "below the ports bound of skylake, 2.00".
 * Estimates and fitted means are excluded. */
bool bounds_refute(struct block_work *w, const struct insn *insns, size_t count, double cycles,
                   struct str *reason);
/* Cycles of the loads including replays (fact load_replays: loads whose address comes directly from
 * a load); 0 if unknown or none. After bounds_of on the same block. */
double bounds_replays(const struct block_work *w, const struct insn *insns, size_t count);
/* Cycles per iteration of assists for x87 operands, during which nothing else runs; part of the
 * dependencies' bound. */
double bounds_assists(const struct core *c, const struct insn *insns, size_t count,
                      const struct block_options *options);
/* Prefix of cycles in a sentence ("at least ", "about ", "at least about ", "") and in a table
 * (">=", "~", ">~", ""), for a lower bound and an estimate. */
const char *cycles_words(bool least, bool estimate);
const char *cycles_sign(bool least, bool estimate);
/* "ports", "dividers", "issue", ... as in the JSON keys */
const char *bound_name(enum bound_kind kind);

#endif
