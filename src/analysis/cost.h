/* Cost of each instruction of a block: µops at the decoders, at rename and on the ports. Accounts
 * for idioms, move elimination, macro-fusion, unlamination and stack-sync µops. */
#ifndef PORTOLAN_ANALYSIS_COST_H
#define PORTOLAN_ANALYSIS_COST_H

#include "analysis/sums.h"

/* flags of a row with their names in the results */
#define ROW_FLAGS(X) \
    X(UNKNOWN, "unknown")          /* the machine has no row for the form, so the cost is 0 */ \
    X(ZERO, "zero-idiom")          /* a zeroing idiom that needs no port */ \
    X(ONES, "ones-idiom") \
    X(ELIMINATED, "eliminated")    /* move eliminated at rename */ \
    X(FUSED, "fused")              /* macro-fused with the next instruction */ \
    X(FUSED_INTO, "fused-into")    /* macro-fused with the previous instruction, which has the cost
                                    * of both */ \
    X(LOAD, "load") \
    X(STORE, "store") \
    X(PIPE, "divider")             /* occupies a blocking pipe */ \
    X(APPROXIMATE, "approximate")  /* the usage is composed of a load or store and an operation in
                                    * the machine's table */ \
    X(ESTIMATE, "estimate")        /* the machine's row of the form is an estimate */ \
    X(SPLIT, "unlaminated")        /* the fused µops split at rename */ \
    X(SYNC, "stack-sync")          /* preceded by a stack-sync µop */ \
    X(CHAIN, "chain")              /* on the dependence chain that limits the loop */ \
    X(SUM, "added-at-rename")      /* rename adds its constant in most iterations */ \
    X(FIRST, "first-in-group")     /* must be first in a group at rename */ \
    X(JOINS, "joins-next")         /* an eliminated move that shares the slot of the next
                                    * instruction */ \
    X(NOT_LAST, "not-last-in-group") /* cannot be last in a group at rename */ \
    X(SKIPPED, "not-executed")     /* not executed: padding, code after the exit, other paths */

#define ROW_FLAG_BIT(flag, name) ROW_BIT_##flag,
enum { ROW_FLAGS(ROW_FLAG_BIT) ROW_FLAG_COUNT };
#define ROW_FLAG_VALUE(flag, name) ROW_##flag = 1 << ROW_BIT_##flag,
enum row_flag { ROW_FLAGS(ROW_FLAG_VALUE) };
/* flags of rows that are no instructions for the front end, but occupy bytes of code */
#define ROW_PART (ROW_FUSED_INTO | ROW_SKIPPED)

struct cost {
    const struct op *op;
    uint32_t flags;            /* set of enum row_flag */
    uint32_t first, count;     /* range of the row's µops in costs.masses */
    unsigned decode;           /* fused µops at the decoders */
    unsigned issue;            /* slots at rename */
    unsigned retire;           /* slots at retirement */
    /* additions of constants that rename folds into this row or keeps in its inputs (sums_find) */
    struct immediate_folding sum;
};

struct costs {
    struct cost *rows;
    size_t count, capacity;
    struct immediate_folding *sums;          /* working storage of costs_fill, one entry per row */
    struct mass *masses;       /* µops of all rows, in row order */
    size_t mass_count, mass_capacity;
    bool unknown;              /* whether a row is ROW_UNKNOWN */
    bool estimate;             /* whether a row is ROW_ESTIMATE */
};

/* Fills @out for one iteration of a repeating block in its steady state. @out must be initialised
 * to zero, or contain the result of an earlier call. */
void costs_fill(struct core *c, const struct insn *insns, size_t count, struct costs *out);
/* Returns the minimum cycles per iteration of microcoded, serialising and waiting instructions, as
 * measured in isolation; 0: none. Free @costs with costs_done. */
double costs_alone(const struct costs *costs);
void costs_done(struct costs *costs);

/* Layout of a block's copies */
enum shape {
    /* unrolled copies, much larger than any µop cache */
    SHAPE_UNROLLED,
    SHAPE_LOOP,       /* the block ends with the branch that repeats it */
    /* unrolled copies with a closing branch, which fit the µop cache, as `kernel measure` runs
     * blocks */
    SHAPE_CACHED,
};

/* Returns SHAPE_LOOP if the last instruction without INSN_SKIPPED is a branch, but no call or
 * return; otherwise SHAPE_UNROLLED. */
enum shape shape_of(const struct insn *insns, size_t count);

#endif
