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
    X(INDUCTION, "induction variable") /* a counter or pointer that a constant steps */            \
    X(REDUCTION, "reduction")          /* an accumulator of one associative operation */           \
    X(SCAN, "prefix scan")             /* the same, but the loop uses each partial result */       \
    X(RECURRENCE, "recurrence")        /* any other chain of operations */                         \
    X(POINTER_CHASE, "pointer chase")  /* the address of a load comes from the load before */      \
    X(SELECT, "select chain")          /* a conditional move or blend waits for the one before */  \
    X(MEMORY, "through memory")        /* a store is read by a load of a later iteration */        \
    X(FALSE, "false dependency") /* an instruction waits for an old value that it does not need */ \
    X(SERIAL, "serialisation")   /* locked, fencing or blocked accesses */                         \
    X(PORTS, "ports")                                                                              \
    X(DIVIDER, "divider")                                                                          \
    X(ACCESSES, "loads and stores") /* accesses per cycle of the first-level cache */              \
    X(FRONTEND, "front end")                                                                       \
    X(BRANCH, "taken branch")                                                                      \
    X(ISSUE, "issue width")                                                                        \
    X(RETIRE, "retirement")                                                                        \
    X(MICROCODE, "microcode") /* the least that instructions measured alone take */                \
    X(NONE, "none")           /* no instruction uses a port */

#define LIMIT_KIND(kind, name) LIMIT_##kind,
enum limit_kind { LIMITS(LIMIT_KIND) LIMIT_COUNT };

/* An instruction of the chain: cycles from the value before it to its own. */
struct limit_link {
    uint32_t row;            /* of the analysis */
    double cycles;
    double forwarded;        /* of them, from the store to the load; 0 where it reads no store */
    bool address;            /* the value before it is part of its address */
    bool memory;             /* it reads the value from a store */
    bool moves;              /* it hands the value on unchanged */
};

struct limit_chain {
    enum limit_kind kind;        /* INDUCTION to SERIAL; NONE: no chain */
    struct limit_link *links;    /* in order, one iteration or @distance of them */
    size_t count;
    unsigned distance;           /* iterations that the chain spans */
    /* chains of as many cycles that share no instruction with it, itself among them */
    unsigned alike;
    double cycles;               /* per iteration */
    bool floating;               /* another order rounds differently */
    bool affine;                 /* RECURRENCE: x * a + b with a constant a */
    bool carry;                  /* RECURRENCE: through the carry flag */
    bool compared;               /* the comparison is part of the chain */
    bool extremum;               /* SELECT: of values and comparisons with them alone */
    bool blocked;                /* MEMORY: the load waits until the store reached the cache */
    /* SCAN: a row that uses each partial result; REDUCTION: one that stores it to one place each
     * time; LIMIT_NO_ROW: none */
    uint32_t user;
};
#define LIMIT_NO_ROW UINT32_MAX

struct limit {
    enum limit_kind kind;                  /* the first of kinds */
    enum limit_kind kinds[LIMIT_COUNT];    /* all within LIMIT_TIE of the largest */
    unsigned count;
    enum limit_kind next;                  /* the largest limit below these; NONE: none is known */
    double next_cycles;                    /* its cycles per iteration; 0 */
    /* the largest limit that stays where the loop is unrolled, and its cycles; 0: none is known */
    enum limit_kind left;
    double left_cycles;
    bool streams;                          /* some access moves on by the same step each time */
    struct limit_chain chain;              /* the longest, also where something else limits */
    struct limit_chain other;              /* as long, of another kind; NONE: none */
    /* REDUCTION: code with the accumulator split, lines of assembly; NULL: none */
    char *split;
};

#define LIMIT_TIE 0.01   /* relative */

struct analysis_row {
    const struct insn *insn;   /* borrowed from the kernel */
    struct usage usage;        /* after fusion, idioms, elimination */
    double latency;            /* cycles, NaN unknown */
    double issue;              /* µops through rename */
    /* latency with the operands that take longest, borrowed from the machine; NULL: none is
     * known */
    const struct latency_rule *slowest;
    /* its source, where the machine's row of the form is an estimate, borrowed from the machine;
     * NULL: it is none */
    const char *estimate;
    /* least cycles of each copy, as measured alone, borrowed from the machine; NULL: its ports
     * decide */
    const struct latency_rule *alone;
    uint32_t flags;            /* enum row_flag */
    double *pressure;          /* cycles per port, ports of the machine */
};

/* The instruction at row @to reads the result of row @from, @distance iterations earlier. */
struct analysis_edge {
    uint32_t from, to, distance;
};

struct analysis {
    const struct machine *machine;   /* borrowed */
    /* of the machine, under the names that people are shown (port_names.h) */
    struct ports ports;
    struct analysis_row *rows;
    size_t count;
    /* registers that the loop writes: a bit each, of those below REG_PC */
    uint64_t written;
    double *totals;                  /* cycles per port */
    double bounds[BOUND_COUNT];      /* NaN: not modelled on this machine */
    struct frontend frontend;        /* parts of the front end's bound */
    struct issue issue;              /* what limits rename */
    enum accesses_by accesses;       /* what limits loads and stores */
    enum shape shape;
    struct analysis_edge *edges;     /* each once, by producer */
    size_t edge_count;
    /* cycles of one iteration's longest path; NaN when latencies are not modelled */
    double critical_path;
    portset bottleneck_ports;        /* of the port bound */
    double cycles;                   /* maximum of the bounds */
    enum bound_kind bottleneck;
    unsigned fitted;                 /* as in struct bounds, of the bound that binds alone */
    /* a form is unknown, one is repeated, the machine has no latencies for chains, or none for a
     * load in them */
    bool lower_bound;
    bool unknown;                    /* a form is unknown */
    /* the machine's row of a form is an estimate */
    bool estimate;
    /* the first instruction with a repeat count in a register (rep movsb), borrowed; NULL: none */
    const struct insn *repeated;
    /* possible effects of each kind, in words; NULL: none, or the machine has no latencies */
    char *not_modelled[UNMODELLED_COUNT];
    struct limit limit;              /* the limit, in kinds and facts */
    /* the limit, a remedy, assumptions and unmodelled effects, in words */
    char *sentence;
};

/* Of loop @loop of @k. NULL only on bugs: every kernel can be analysed. Any thread; borrows @k and
 * @m. */
struct analysis *analysis_new(const struct kernel *k, size_t loop, const struct machine *m);
void analysis_free(struct analysis *a);
/* The first of @insns with a repeat count in a register (rep movsb); NULL: none. Pure. */
const struct insn *analysis_repeated(const struct insn *insns, size_t count);
/* Instructions of @a that no decoder knows (INSN_UNDECODED). Pure. */
size_t analysis_undecoded(const struct analysis *a);
/* "unknown", "zero-idiom", ... as in the JSON flags */
const char *row_flag_name(uint32_t one_flag);

/* limit.c */
/* Fills @out for @a, which is filled except for limit and sentence; @work: of the same block
 * (bounds_of). limit_done frees it. Any thread. */
void limit_find(const struct analysis *a, struct block_work *work, struct limit *out);
void limit_done(struct limit *l);
/* Whether @kind is paid once an iteration of @a, however much that does: unrolling relieves it. */
bool limit_unrolls(const struct analysis *a, enum limit_kind kind);
const char *limit_name(enum limit_kind kind);

/* advice.c: the sentence that names the limit and a remedy. */
/* Appends why @repeated (analysis_repeated) makes a result a lower bound. */
void advice_repeated(const struct insn *repeated, struct str *out);
/* For an analysis of loop @loop of @k, complete except for its sentence. The caller frees. */
char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop);

#endif
