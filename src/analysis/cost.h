/* What each instruction of a block costs on a machine: µops at the decoders, at rename and on the ports, after idioms, eliminated moves,
 * macro-fusion, unlamination and the stack engine's own µops. */
#ifndef PORTOLAN_ANALYSIS_COST_H
#define PORTOLAN_ANALYSIS_COST_H

#include "analysis/sums.h"

enum row_flag {
    ROW_UNKNOWN = 1 << 0,      /* the machine does not know the form: counted as nothing, the total is a lower bound */
    ROW_ZERO = 1 << 1,         /* zero idiom, no port */
    ROW_ONES = 1 << 2,         /* ones idiom */
    ROW_ELIMINATED = 1 << 3,   /* move done at rename */
    ROW_FUSED = 1 << 4,        /* macro-fused with the next instruction */
    ROW_FUSED_INTO = 1 << 5,   /* macro-fused into the one before: costs nothing of its own */
    ROW_LOAD = 1 << 6,
    ROW_STORE = 1 << 7,
    ROW_PIPE = 1 << 8,         /* holds a blocking pipe (divider) */
    ROW_APPROXIMATE = 1 << 9,  /* put together from a load or store and an operation that the machine knows */
    ROW_SPLIT = 1 << 10,       /* unlaminated: its fused µops part at rename */
    ROW_SYNC = 1 << 11,        /* the stack engine adds a µop before it */
    ROW_CHAIN = 1 << 12,       /* on the dependency cycle that bounds the loop */
    ROW_SUM = 1 << 13,         /* an addition of a constant that rename does, in most iterations at least */
    ROW_FIRST = 1 << 14,       /* begins a new group at rename */
    ROW_JOINS = 1 << 15,       /* an eliminated move that the next instruction takes along: no slot of its own */
    ROW_NOT_LAST = 1 << 16,    /* not in the last slot of a group at rename */
};

struct cost {
    const struct op *op;
    uint32_t flags;            /* enum row_flag */
    uint32_t first, count;     /* its µops in masses */
    unsigned decode;           /* µops at the decoders, fused */
    unsigned issue;            /* slots at rename */
    unsigned retire;           /* slots at retirement */
    struct rename_sum sum;            /* what rename adds, and finds to be added */
};

struct costs {
    struct cost *rows;
    size_t count, capacity;
    struct rename_sum *sums;          /* for costs_fill */
    struct mass *masses;       /* of all rows in order */
    size_t mass_count, mass_capacity;
    bool unknown;              /* a row is ROW_UNKNOWN */
};

/* Fills @out (zeroed, or used before) for one iteration in the steady state of a block that repeats. */
void costs_fill(struct core *c, const struct insn *insns, size_t count, struct costs *out);
void costs_done(struct costs *costs);

#endif
