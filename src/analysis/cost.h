/* Cost of each instruction of a block: µops at the decoders, at rename and on the ports, after
 * idioms, move elimination, macro-fusion, unlamination and stack-sync µops. */
#ifndef PORTOLAN_ANALYSIS_COST_H
#define PORTOLAN_ANALYSIS_COST_H

#include "analysis/sums.h"

/* Flags of a row: constant, name in the results, meaning. */
#define ROW_FLAGS(X) \
    X(UNKNOWN, "unknown")          /* the machine has no row for it: counted as 0 */ \
    X(ZERO, "zero-idiom")          /* needs no port */ \
    X(ONES, "ones-idiom") \
    X(ELIMINATED, "eliminated")    /* move eliminated at rename */ \
    X(FUSED, "fused")              /* macro-fused with the next instruction */ \
    X(FUSED_INTO, "fused-into")    /* macro-fused with the previous instruction: no own cost */ \
    X(LOAD, "load") \
    X(STORE, "store") \
    X(PIPE, "divider")             /* holds a blocking pipe */ \
    X(APPROXIMATE, "approximate")  /* composed of a known load or store and a known operation */ \
    X(ESTIMATE, "estimate")        /* the machine's row of the form is an estimate */ \
    X(SPLIT, "unlaminated")        /* its fused µops split at rename */ \
    X(SYNC, "stack-sync")          /* the stack engine adds a µop before it */ \
    X(CHAIN, "chain")              /* on the chain that limits the loop */ \
    X(SUM, "added-at-rename")      /* its constant is added at rename in most iterations */ \
    X(FIRST, "first-in-group")     /* begins a new group at rename */ \
    X(JOINS, "joins-next")         /* an eliminated move that shares the next one's slot */ \
    X(NOT_LAST, "not-last-in-group") /* not in the last slot of a group at rename */ \
    X(SKIPPED, "not-executed")     /* no iteration reaches it: padding, a way out of the loop */

#define ROW_FLAG_BIT(flag, name) ROW_BIT_##flag,
enum { ROW_FLAGS(ROW_FLAG_BIT) ROW_FLAG_COUNT };
#define ROW_FLAG_VALUE(flag, name) ROW_##flag = 1 << ROW_BIT_##flag,
enum row_flag { ROW_FLAGS(ROW_FLAG_VALUE) };
/* No instruction of its own for the front end: it has its place in the code alone. */
#define ROW_PART (ROW_FUSED_INTO | ROW_SKIPPED)

struct cost {
    const struct op *op;
    uint32_t flags;            /* enum row_flag */
    uint32_t first, count;     /* range of its µops in masses */
    unsigned decode;           /* µops at the decoders, fused */
    unsigned issue;            /* slots at rename */
    unsigned retire;           /* slots at retirement */
    struct immediate_folding sum;            /* additions done at rename */
};

struct costs {
    struct cost *rows;
    size_t count, capacity;
    struct immediate_folding *sums;          /* working storage of costs_fill */
    struct mass *masses;       /* of all rows in order */
    size_t mass_count, mass_capacity;
    bool unknown;              /* a row is ROW_UNKNOWN */
    bool estimate;             /* a row is ROW_ESTIMATE */
};

/* Fills @out (zeroed or reused) for one iteration of a repeating block in its steady state. */
void costs_fill(struct core *c, const struct insn *insns, size_t count, struct costs *out);
/* Least cycles of one iteration from microcoded, serialising and waiting instructions as measured
 * alone; 0 without any. */
double costs_alone(const struct costs *costs);
void costs_done(struct costs *costs);

/* Layout of a block's copies. */
enum shape {
    /* unrolled copies, far larger than any µop cache */
    SHAPE_UNROLLED,
    SHAPE_LOOP,       /* the block ends in the branch that repeats it */
    /* unrolled copies that fit the µop cache and a closing branch, as `kernel measure` runs it */
    SHAPE_CACHED,
};

/* Returns SHAPE_LOOP when the last instruction is a branch. */
enum shape shape_of(const struct insn *insns, size_t count);

#endif
