/* Analysis of a kernel on a machine: bounds in cycles per iteration, and port pressure per
 * instruction. */
#ifndef PORTOLAN_ANALYSIS_ANALYSIS_H
#define PORTOLAN_ANALYSIS_ANALYSIS_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"
#include "analysis/unmodelled.h"


/* Kinds of limits with their names in the results. INDUCTION to SERIAL are kinds of dependence
 * chains. */
#define LIMITS(X)                                                                                  \
    X(INDUCTION, "induction variable") /* counter or pointer advanced by a constant */            \
    X(REDUCTION, "reduction")          /* an accumulator of one associative operation */           \
    X(SCAN, "prefix scan")             /* a REDUCTION whose partial results are all used */       \
    X(RECURRENCE, "recurrence")        /* any other chain of operations */                         \
    X(POINTER_CHASE, "pointer chase")  /* a load's address depends on the previous load */      \
    X(SELECT, "select chain")          /* a cmov or blend depends on the previous one */  \
    X(MEMORY, "through memory")        /* a load of the chain reads a stored value */            \
    X(PARTIAL, "partial register") /* a partial write is merged with the register's old value */ \
    X(FALSE, "false dependency") /* an instruction waits for an input that does not affect its
                                  * result */ \
    X(SERIAL, "serialisation")   /* locked accesses, barriers, serialising instructions */         \
    X(PORTS, "ports")                                                                              \
    X(DIVIDER, "divider")                                                                          \
    X(ACCESSES, "loads and stores") /* accesses per cycle of the first-level cache */              \
    X(FRONTEND, "front end")                                                                       \
    X(BRANCH, "taken branch")                                                                      \
    X(ISSUE, "issue width")                                                                        \
    X(RETIRE, "retirement")                                                                        \
    X(MICROCODE, "microcode") /* the measured least cycles of an instruction */                \
    X(NONE, "none")           /* no instruction uses a port */

#define LIMIT_KIND(kind, name) LIMIT_##kind,
enum limit_kind { LIMITS(LIMIT_KIND) LIMIT_COUNT };

/* Link of a chain: an instruction, and the cycles from the value of the previous link to its own
 * value */
struct limit_link {
    uint32_t row;
    double cycles;
    /* cycles of store forwarding, included in @cycles; 0 if the row loads no forwarded value */
    double forwarded;
    bool address;            /* whether the previous link's value is part of this row's address */
    bool memory;             /* whether the link loads the previous link's value from a store */
    bool moves;              /* whether the link copies the value unchanged */
};

struct limit_chain {
    enum limit_kind kind;        /* kind of chain, INDUCTION to SERIAL; NONE: no chain */
    struct limit_link *links;    /* links in program order, over @distance iterations */
    size_t count;
    unsigned distance;           /* number of iterations that the chain spans */
    /* number of chains of this kind and length without common instructions, including this one */
    unsigned alike;
    double cycles;               /* cycles per iteration */
    /* whether the chain has floating-point operations, whose order affects rounding */
    bool floating;
    bool affine;                 /* RECURRENCE: whether the chain computes x * a + b with a
                                  * constant a */
    /* RECURRENCE: whether the chain computes x * a | b or x * a ^ b, where a is a power of two */
    bool logic;
    bool carry;                  /* RECURRENCE: whether the value is the carry flag */
    bool compared;               /* whether a comparison is part of the chain */
    /* SELECT: whether the chain has only selections and comparisons (minimum, maximum). SCAN,
     * REDUCTION: whether it computes a minimum or maximum. */
    bool extremum;
    bool addend;                 /* SELECT: whether the chain computes x = c ? x + y : x */
    /* whether a load uses the value as the index of a table (@table) or as the table's base
     * (@based) */
    bool table, based;
    bool blocked;                /* MEMORY: whether the load waits until the store has written the
                                  * cache */
    /* row of another use of the value. SCAN: use of each partial result. REDUCTION: store of the
     * result to a constant address. PARTIAL, FALSE: read of the old value. LIMIT_NO_ROW: no such
     * row */
    uint32_t user;
};
#define LIMIT_NO_ROW UINT32_MAX

struct limit {
    enum limit_kind kind;                  /* first entry of @kinds */
    /* kinds of all limits whose cycles are within LIMIT_TIE of the largest */
    enum limit_kind kinds[LIMIT_COUNT];
    unsigned count;
    enum limit_kind next;                  /* largest limit below those of @kinds; NONE: unknown */
    double next_cycles;                    /* cycles per iteration of @next; 0: unknown */
    /* largest limit below those of @kinds that unrolling does not relieve; @left_cycles: its cycles
     * per iteration, 0 if unknown */
    enum limit_kind left;
    double left_cycles;
    bool streams;                          /* whether an access advances by a constant stride */
    bool gaps;                             /* whether accesses with a constant stride skip bytes */
    /* whether a chain has operations that have no vector form */
    bool serial;
    struct limit_chain chain;              /* longest chain, even if it is not the limit */
    /* chain of another kind with the same length; its kind is NONE if there is none */
    struct limit_chain other;
    /* REDUCTION: assembly with split accumulators; NULL: none */
    char *split;
};

#define LIMIT_TIE 0.01   /* largest relative difference of two limits that are considered equal */

struct analysis_row {
    const struct insn *insn;   /* instruction, borrowed from the kernel */
    struct usage usage;        /* usage after fusion, idioms and elimination */
    double latency;            /* cycles; NaN: unknown */
    double issue;              /* number of issue slots at rename */
    /* rule of the latency with the slowest operand values, borrowed from the machine; NULL:
     * unknown */
    const struct latency_rule *slowest;
    /* source of the estimate for the form, borrowed from the machine; NULL: no estimate */
    const char *estimate;
    /* Minimum cycles per copy, measured in isolation; borrowed from the machine. NULL: none. */
    const struct latency_rule *alone;
    /* whether the latency is unknown, and counts as one cycle in a loop-carried dependence cycle */
    bool latency_guessed;
    uint32_t flags;            /* set of enum row_flag */
    double *pressure;          /* cycles on each port of the machine */
};

/* Dependence: row @to reads the result that row @from produced @distance iterations earlier */
struct analysis_edge {
    uint32_t from, to, distance;
};

struct analysis {
    const struct machine *machine;   /* borrowed */
    /* ports of the machine with their displayed names (port_names.h) */
    struct ports ports;
    struct analysis_row *rows;
    size_t count;
    /* set of the registers that the loop writes, one bit per register number below REG_PC */
    uint64_t written;
    double *totals;                  /* cycles per port */
    double bounds[BOUND_COUNT];      /* cycles per iteration; NaN: not modelled on this machine */
    struct frontend frontend;        /* parts of the front end's bound */
    struct issue issue;
    enum accesses_by accesses;
    double line_writes;              /* cache lines written per iteration; 0: unknown */
    enum shape shape;
    struct analysis_edge *edges;     /* edges without duplicates, sorted by producer */
    size_t edge_count;
    /* cycles of the longest path through one iteration; NaN if latencies are not modelled */
    double critical_path;
    portset bottleneck_ports;        /* ports that attain the port bound */
    double cycles;                   /* largest of @bounds, cycles per iteration */
    enum bound_kind bottleneck;      /* bound that determines @cycles */
    /* BOUND_* bit of bounds.fitted for @bottleneck; if not 0, the cycles contain a mean that was
     * fitted to measurements */
    unsigned fitted;
    /* whether the cycles are a lower bound, because a form is unknown or repeated, or a latency of
     * a chain is missing */
    bool lower_bound;
    bool unknown;                    /* whether the machine has no row for a form */
    size_t unknown_forms;            /* number of distinct forms without a row */
    /* name of the first unknown form in the loop, borrowed; NULL: none */
    const char *first_unknown;
    bool latency_guessed;
    /* whether the machine's row of a form is an estimate */
    bool estimate;
    /* cycles if the two-cycle operations of the limiting chain take one cycle; NaN: the cycles do
     * not depend on these operations */
    double unhurried;
    /* first instruction with a repeat count in a register (rep movsb), borrowed; NULL: none */
    const struct insn *repeated;
    /* sentence about each kind of effect that is not modelled; NULL: the loop has no such effect,
     * or the machine has no latencies */
    char *not_modelled[UNMODELLED_COUNT];
    bool irregular;                  /* whether an address depends on a loaded value */
    struct limit limit;              /* kind of the limit, and the chain or instructions that cause
                                      * it */
    /* text with the limit, remedy, assumptions and unmodelled effects */
    char *sentence;
};

/* Computes only the bounds of analysis_new. @work belongs to the machine and can be reused. Returns
 * false if some bounds are only lower bounds of the true bounds. One thread per @work. */
bool analysis_bounds(struct block_work *work, const struct insn *insns, size_t count,
                     bool want_ports, struct bounds *out);
/* Analyses loop @loop of @k on @m, both borrowed. Never returns NULL. If memory is exhausted, the
 * analysis has no rows. Any thread. */
struct analysis *analysis_new(const struct kernel *k, size_t loop, const struct machine *m);
void analysis_free(struct analysis *a);
/* Returns the first of @insns whose repeat count is in a register (rep movsb); NULL: none. Pure. */
const struct insn *analysis_repeated(const struct insn *insns, size_t count);
/* Returns the number of instructions of @a that could not be decoded (INSN_UNDECODED). Pure. */
size_t analysis_undecoded(const struct analysis *a);
/* Returns the name of a flag in the JSON results: "unknown", "zero-idiom", ... */
const char *row_flag_name(uint32_t one_flag);


/* Fills @out for @a. All members of @a except limit and sentence must be set. @work must have the
 * bounds of the same block (bounds_of). limit_done frees @out. Any thread. */
void limit_find(const struct analysis *a, struct block_work *work, struct limit *out);
void limit_done(struct limit *l);
/* Returns whether unrolling relieves @kind, that is, reduces the cycles per source iteration. */
bool limit_unrolls(const struct analysis *a, enum limit_kind kind);
const char *limit_name(enum limit_kind kind);


/* Appends a sentence that states that the result is a lower bound, because of the repeated
 * instruction @repeated (analysis_repeated). */
void advice_repeated(const struct insn *repeated, struct str *out);
/* Returns the sentence for loop @loop of @k. All members of @a except the sentence must be set. The
 * caller frees the result. */
char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop);

#endif
