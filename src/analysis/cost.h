/* Cost of each instruction of a block on a machine: µops at the decoders, at rename and on the
 * ports, after idioms, eliminated moves, macro-fusion, unlamination and the stack engine's own
 * µops. */
#ifndef PORTOLAN_ANALYSIS_COST_H
#define PORTOLAN_ANALYSIS_COST_H

#include "analysis/sums.h"

/* Marks of a row: constant, name in the results, meaning. */
#define ROW_FLAGS(X) \
    X(UNKNOWN, "unknown")          /* no row on the machine: counted as nothing */ \
    X(ZERO, "zero-idiom")          /* no port */ \
    X(ONES, "ones-idiom") \
    X(ELIMINATED, "eliminated")    /* move done at rename */ \
    X(FUSED, "fused")              /* macro-fused with the next instruction */ \
    X(FUSED_INTO, "fused-into")    /* macro-fused into the one before: no cost of its own */ \
    X(LOAD, "load") \
    X(STORE, "store") \
    X(PIPE, "divider")             /* holds a blocking pipe */ \
    X(APPROXIMATE, "approximate")  /* a load or store and an operation that are known */ \
    X(ESTIMATE, "estimate")        /* the machine's row of the form is an estimate */ \
    X(SPLIT, "unlaminated")        /* its fused µops part at rename */ \
    X(SYNC, "stack-sync")          /* the stack engine adds a µop before it */ \
    X(CHAIN, "chain")              /* on the dependency cycle that bounds the loop */ \
    X(SUM, "added-at-rename")      /* a constant is added at rename, in most iterations */ \
    X(FIRST, "first-in-group")     /* begins a new group at rename */ \
    X(JOINS, "joins-next")         /* an eliminated move in the slot of the next one */ \
    X(NOT_LAST, "not-last-in-group") /* not in the last slot of a group at rename */

#define ROW_FLAG_BIT(flag, name) ROW_BIT_##flag,
enum { ROW_FLAGS(ROW_FLAG_BIT) ROW_FLAG_COUNT };
#define ROW_FLAG_VALUE(flag, name) ROW_##flag = 1 << ROW_BIT_##flag,
enum row_flag { ROW_FLAGS(ROW_FLAG_VALUE) };

struct cost {
    const struct op *op;
    uint32_t flags;            /* enum row_flag */
    uint32_t first, count;     /* its µops in masses */
    unsigned decode;           /* µops at the decoders, fused */
    unsigned issue;            /* slots at rename */
    unsigned retire;           /* slots at retirement */
    struct immediate_folding sum;            /* sums at rename */
};

struct costs {
    struct cost *rows;
    size_t count, capacity;
    struct immediate_folding *sums;          /* for costs_fill */
    struct mass *masses;       /* of all rows in order */
    size_t mass_count, mass_capacity;
    bool unknown;              /* a row is ROW_UNKNOWN */
    bool estimate;             /* a row is ROW_ESTIMATE */
};

/* Fills @out (zeroed, or used before) for one iteration in the steady state of a block that
 * repeats. */
void costs_fill(struct core *c, const struct insn *insns, size_t count, struct costs *out);
/* Cycles of the microcoded, serialising and waiting instructions of one iteration, the least that
 * each takes alone; 0 without any. */
double costs_alone(const struct costs *costs);
void costs_done(struct costs *costs);

/* How copies of a block follow each other. */
enum shape {
    /* copies of the block in sequence, far more than any µop cache holds */
    SHAPE_UNROLLED,
    SHAPE_LOOP,       /* the block ends in the branch that repeats it */
    /* copies in sequence that fit the µop cache, closed by a branch: how `kernel measure` runs
     * it */
    SHAPE_CACHED,
};

/* A loop when the last instruction is a branch. */
enum shape shape_of(const struct insn *insns, size_t count);

#endif
