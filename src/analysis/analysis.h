/* Cost of a kernel on a machine: bounds in cycles per iteration, pressure per instruction and
 * port. */
#ifndef PORTOLAN_ANALYSIS_ANALYSIS_H
#define PORTOLAN_ANALYSIS_ANALYSIS_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"
#include "analysis/unmodelled.h"

/* Limit of a loop, in the field's terms: the kind of the largest bound and the facts for its
 * sentence. */

/* Kinds with their names in the results. Those up to SERIAL are kinds of dependence chains. */
#define LIMITS(X)                                                                                  \
    X(INDUCTION, "induction variable") /* counter or pointer advanced by a constant */            \
    X(REDUCTION, "reduction")          /* an accumulator of one associative operation */           \
    X(SCAN, "prefix scan")             /* as REDUCTION, with all partial results used */       \
    X(RECURRENCE, "recurrence")        /* any other chain of operations */                         \
    X(POINTER_CHASE, "pointer chase")  /* a load's address depends on the last load */      \
    X(SELECT, "select chain")          /* a cmov or blend depends on the previous one */  \
    X(MEMORY, "through memory")        /* a load reads a store of an earlier iteration */        \
    X(PARTIAL, "partial register") /* a partial write is merged with the rest of its register */ \
    X(FALSE, "false dependency") /* an instruction waits for an old value that it does not use */ \
    X(SERIAL, "serialisation")   /* locked, fencing or blocked accesses */                         \
    X(PORTS, "ports")                                                                              \
    X(DIVIDER, "divider")                                                                          \
    X(ACCESSES, "loads and stores") /* accesses per cycle of the first-level cache */              \
    X(FRONTEND, "front end")                                                                       \
    X(BRANCH, "taken branch")                                                                      \
    X(ISSUE, "issue width")                                                                        \
    X(RETIRE, "retirement")                                                                        \
    X(MICROCODE, "microcode") /* least cycles of instructions measured alone */                \
    X(NONE, "none")           /* no instruction uses a port */

#define LIMIT_KIND(kind, name) LIMIT_##kind,
enum limit_kind { LIMITS(LIMIT_KIND) LIMIT_COUNT };

/* An instruction of a chain: cycles from the previous value to its own. */
struct limit_link {
    uint32_t row;            /* of the analysis */
    double cycles;
    double forwarded;        /* part of these cycles from store to load; 0 if it reads no store */
    bool address;            /* the previous value is part of its address */
    bool memory;             /* it reads the value from a store */
    bool moves;              /* it copies the value */
};

struct limit_chain {
    enum limit_kind kind;        /* INDUCTION to SERIAL; NONE: no chain */
    struct limit_link *links;    /* in order, over @distance iterations */
    size_t count;
    unsigned distance;           /* iterations that the chain spans */
    /* chains of equal length that share no instruction with it, including itself */
    unsigned alike;
    double cycles;               /* per iteration */
    bool floating;               /* floating point: reordering changes the rounding */
    bool affine;                 /* RECURRENCE: x * a + b with a constant a */
    bool logic;                  /* affine, a is a power of two and b is inserted by or or xor */
    bool carry;                  /* RECURRENCE: through the carry flag */
    bool compared;               /* the comparison is part of the chain */
    bool extremum;               /* SELECT: consists only of values and comparisons (minimum,
                                  * maximum) */
    bool table, based;           /* a load uses it as the index of a table; as its base */
    bool blocked;                /* MEMORY: the load waits until the store is in the cache */
    /* SCAN: a row that uses each partial result; REDUCTION: one that stores it to the same place
     * each time; PARTIAL, FALSE: the one that reads the old value; LIMIT_NO_ROW: none */
    uint32_t user;
};
#define LIMIT_NO_ROW UINT32_MAX

struct limit {
    enum limit_kind kind;                  /* the first of kinds */
    enum limit_kind kinds[LIMIT_COUNT];    /* bit set of the kinds within LIMIT_TIE of the
                                            * largest */
    unsigned count;
    enum limit_kind next;                  /* largest limit below these; NONE: unknown */
    double next_cycles;                    /* its cycles per iteration, or 0 */
    /* largest limit that unrolling does not relieve, and its cycles; 0: unknown */
    enum limit_kind left;
    double left_cycles;
    bool streams;                          /* an access advances by a constant step */
    bool gaps;                             /* such accesses leave bytes out */
    bool serial;                           /* a chain has steps that no vector does at once */
    struct limit_chain chain;              /* the longest chain, even if it does not limit */
    struct limit_chain other;              /* an equally long chain of another kind; NONE: none */
    /* REDUCTION: assembly with the accumulator split; NULL: none */
    char *split;
};

#define LIMIT_TIE 0.01   /* relative */

struct analysis_row {
    const struct insn *insn;   /* borrowed from the kernel */
    struct usage usage;        /* after fusion, idioms and elimination */
    double latency;            /* cycles, NaN unknown */
    double issue;              /* slots at rename */
    /* latency with the slowest operands, borrowed from the machine; NULL: unknown */
    const struct latency_rule *slowest;
    /* source of the machine's row if it is an estimate, borrowed from the machine; NULL if not */
    const char *estimate;
    /* least cycles per copy, measured alone, borrowed from the machine; NULL: its ports decide */
    const struct latency_rule *alone;
    uint32_t flags;            /* enum row_flag */
    double *pressure;          /* cycles per port, ports of the machine */
};

/* Row @to reads the result of row @from, @distance iterations earlier. */
struct analysis_edge {
    uint32_t from, to, distance;
};

struct analysis {
    const struct machine *machine;   /* borrowed */
    /* machine with the displayed port names (port_names.h) */
    struct ports ports;
    struct analysis_row *rows;
    size_t count;
    /* registers that the loop writes, one bit per number below REG_PC */
    uint64_t written;
    double *totals;                  /* cycles per port */
    double bounds[BOUND_COUNT];      /* NaN: not modelled on this machine */
    struct frontend frontend;        /* parts of the front end's bound */
    struct issue issue;              /* limit of rename */
    enum accesses_by accesses;       /* limit of loads and stores */
    enum shape shape;
    struct analysis_edge *edges;     /* each once, in order of the producer */
    size_t edge_count;
    /* cycles of the longest path through one iteration; NaN when latencies are not modelled */
    double critical_path;
    portset bottleneck_ports;        /* ports that attain the port bound */
    double cycles;                   /* maximum of the bounds */
    enum bound_kind bottleneck;
    unsigned fitted;                 /* as in struct bounds, if that bound alone limits */
    /* lower bound: a form is unknown or repeated, or a latency of the chains is missing */
    bool lower_bound;
    bool unknown;                    /* a form is unknown */
    /* the machine's row of a form is an estimate */
    bool estimate;
    /* first instruction with a repeat count in a register (rep movsb), borrowed; NULL: none */
    const struct insn *repeated;
    /* sentence per kind of possible effect; NULL: none, or the machine has no latencies */
    char *not_modelled[UNMODELLED_COUNT];
    bool irregular;                  /* an address depends on loaded data */
    struct limit limit;              /* the limit as kinds and facts */
    /* the limit, remedy, assumptions and unmodelled effects, as text */
    char *sentence;
};

/* Computes the bounds of a loop as analysis_new does, without the rest. @work is of its machine and
 * can be used again. False when they are only lower bounds. One thread per @work. */
bool analysis_bounds(struct block_work *work, const struct insn *insns, size_t count,
                     bool want_ports, struct bounds *out);
/* Analyses loop @loop of @k on @m, both borrowed. Never fails: every kernel can be analysed. Any
 * thread. */
struct analysis *analysis_new(const struct kernel *k, size_t loop, const struct machine *m);
void analysis_free(struct analysis *a);
/* Returns the first of @insns with a repeat count in a register (rep movsb), or NULL. Pure. */
const struct insn *analysis_repeated(const struct insn *insns, size_t count);
/* Returns the number of instructions of @a that no decoder knows (INSN_UNDECODED). Pure. */
size_t analysis_undecoded(const struct analysis *a);
/* "unknown", "zero-idiom", ... as in the JSON flags */
const char *row_flag_name(uint32_t one_flag);

/* limit.c */
/* Fills @out for @a, which is complete except for limit and sentence; @work belongs to the same
 * block (bounds_of). limit_done frees it. Any thread. */
void limit_find(const struct analysis *a, struct block_work *work, struct limit *out);
void limit_done(struct limit *l);
/* Returns whether unrolling relieves @kind: its cost is per iteration of @a, whatever the work. */
bool limit_unrolls(const struct analysis *a, enum limit_kind kind);
const char *limit_name(enum limit_kind kind);

/* advice.c: the sentence with the limit and a remedy. */
/* Appends why @repeated (analysis_repeated) makes the result a lower bound. */
void advice_repeated(const struct insn *repeated, struct str *out);
/* Returns the sentence for loop @loop of @k, whose analysis is complete without it. The caller
 * frees. */
char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop);

#endif
