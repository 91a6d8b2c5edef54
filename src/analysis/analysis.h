/* What a kernel costs on a machine: bounds in cycles per iteration, pressure per instruction and port. */
#ifndef PORTOLAN_ANALYSIS_ANALYSIS_H
#define PORTOLAN_ANALYSIS_ANALYSIS_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"
#include "analysis/limit.h"
#include "analysis/unmodelled.h"

struct analysis_row {
    const struct insn *insn;   /* borrowed from the kernel */
    struct usage usage;        /* after fusion, idioms, elimination */
    double latency;            /* cycles, NaN unknown */
    double issue;              /* µops through rename */
    const struct latency_rule *slowest; /* latency with the operands that take longest, borrowed from the machine; NULL: none is known */
    const char *estimate;      /* its source, where what the machine says of the form is an estimate, borrowed from the machine; NULL: it is none */
    const struct latency_rule *alone;   /* cycles that each copy takes at least, as measured of it alone, borrowed from the machine; NULL: its ports say */
    uint32_t flags;            /* enum row_flag */
    double *pressure;          /* cycles per port, ports of the machine */
};

/* The instruction at row @to reads what row @from wrote @distance iterations before. */
struct analysis_edge {
    uint32_t from, to, distance;
};

struct analysis {
    const struct machine *machine;   /* borrowed */
    struct ports ports;              /* of the machine, under the names that people are shown (port_names.h) */
    struct analysis_row *rows;
    size_t count;
    double *totals;                  /* cycles per port */
    double bounds[BOUND_COUNT];      /* NaN: not modelled on this machine */
    struct frontend frontend;        /* parts of the front end's bound */
    struct issue issue;              /* what limits rename */
    enum shape shape;
    struct analysis_edge *edges;     /* each once, by producer */
    size_t edge_count;
    double critical_path;            /* cycles of one iteration's longest path; NaN when latencies are not modelled */
    portset bottleneck_ports;        /* of the port bound */
    double cycles;                   /* maximum of the bounds */
    enum bound_kind bottleneck;
    unsigned fitted;                 /* as in struct bounds, of the bound that binds alone */
    bool lower_bound;                /* a form is unknown, one is repeated, the machine has no latencies for chains, or none for a load in them */
    bool unknown;                    /* a form is unknown */
    bool estimate;                   /* what the machine says of a form is an estimate (a row with one) */
    const struct insn *repeated;     /* the first that is executed as often as a register says (rep movsb), borrowed; NULL: none */
    char *not_modelled[UNMODELLED_COUNT];   /* what the loop may have of each kind, in words; NULL: nothing, or the machine has no latencies */
    struct limit limit;              /* what binds, in kinds and facts */
    char *sentence;                  /* what binds, what would change it, what is assumed and not modelled, in words */
};

/* Of loop @loop of @k. NULL only on bugs: every kernel can be analysed. Any thread; borrows @k and @m. */
struct analysis *analysis_new(const struct kernel *k, size_t loop, const struct machine *m);
void analysis_free(struct analysis *a);
/* The first of @insns that is executed as often as a register says (rep movsb); NULL: none. Pure. */
const struct insn *analysis_repeated(const struct insn *insns, size_t count);
/* Instructions of @a that no decoder knows (INSN_UNDECODED). Pure. */
size_t analysis_undecoded(const struct analysis *a);
const char *row_flag_name(uint32_t one_flag);       /* "unknown", "zero-idiom", ... as in the JSON flags */

#endif
