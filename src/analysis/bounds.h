/* All bounds of a block that repeats, in cycles per iteration; their maximum is the prediction of
 * the `bounds` model. */
#ifndef PORTOLAN_ANALYSIS_BOUNDS_H
#define PORTOLAN_ANALYSIS_BOUNDS_H

#include "analysis/deps.h"
#include "analysis/frontend.h"
#include "analysis/issue.h"
#include "analysis/replays.h"

enum bound_kind {
    BOUND_PORTS, BOUND_PIPES, BOUND_ISSUE, BOUND_FRONTEND, BOUND_DEPENDENCIES, BOUND_MEMORY,
    BOUND_RETIRE, BOUND_COUNT
};

/* What limits the accesses to memory: so many a cycle (facts loads_per_cycle, stores_per_cycle),
 * lines that stores write (store_lines_per_cycle), where loads lie, accesses tried again. */
enum accesses_by {
    ACCESSES_LOADS, ACCESSES_STORES, ACCESSES_LINES, ACCESSES_PLACES, ACCESSES_AGAIN
};

struct bounds {
    double cycles[BOUND_COUNT];      /* NaN: not modelled on this machine */
    struct frontend frontend;
    struct issue issue;              /* without what microcode takes alone */
    enum accesses_by accesses;       /* the largest of memory's bound */
    portset bottleneck_ports;        /* of the port bound; 0 unless asked for */
    double total;                    /* the maximum */
    enum bound_kind bottleneck;
    bool unknown;                    /* a form is unknown: lower bounds */
    bool estimate;                   /* the machine's row of a form is an estimate */
    /* bit by bound: it is a mean that was fitted, of loads or operations that are tried again */
    unsigned fitted;
    /* so is how long some load takes that others wait for: dependencies is a lower bound */
    bool open;
};

struct block_options {
    enum shape shape;
    enum start_values start;
    unsigned align;                  /* of the first byte, modulo 64 */
    struct known_forwards known;     /* memory accesses seen in runs; empty for code alone */
};

/* Bytes of memory that bounds, analysis and simulation take per instruction of a block, most of it
 * in the simulator: more than any common loop needed. */
#define BLOCK_BYTES_EACH 2048

/* Storage for one block after the other. One thread. */
struct block_work {
    struct core *core;
    struct throughput *throughput;
    struct costs costs;
    struct deps deps;
    struct replays replays;
    struct mass *plain;              /* masses off the blocking pipes */
    size_t plain_capacity;
    double total;                    /* the largest bound of the block; 0: none is known */
    /* the bounds of the block, without those that no simulation has: replayed loads, page walks,
     * assists and microcode measured alone; 0: none is known */
    double least;
};
/* Borrows @m as core_new does. */
struct block_work *block_work_new(const struct machine *m);
void block_work_free(struct block_work *w);

/* @w keeps costs and deps of the block until the next call. @want_ports also finds the bottleneck's
 * ports. */
void bounds_of(struct block_work *w, const struct insn *insns, size_t count,
               const struct block_options *options, bool want_ports, struct bounds *out);
/* Whether @cycles, measured of @insns, are fewer than the ports take, then *@least. Estimates and
 * fitted means refute nothing. */
bool bounds_refute(struct block_work *w, const struct insn *insns, size_t count, double cycles,
                   double *least);
/* Cycles that the loads take with those that are tried again (fact load_replays: loads whose
 * address comes straight from a load); 0 without any, or where nothing is known. After bounds_of on
 * the same block. */
double bounds_replays(const struct block_work *w, const struct insn *insns, size_t count);
/* Cycles per iteration that microcode for x87 operands takes, while nothing else runs; part of the
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
