/* What a kernel costs on a machine: bounds in cycles per iteration, pressure per instruction and port. */
#ifndef PORTOLAN_ANALYSIS_ANALYSIS_H
#define PORTOLAN_ANALYSIS_ANALYSIS_H

#include "analysis/kernel.h"
#include "model/machine.h"

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
};

struct analysis_row {
    const struct insn *insn;   /* borrowed from the kernel */
    struct usage usage;        /* after fusion, idioms, elimination */
    double latency;            /* cycles, NaN unknown */
    double issue;              /* µops through rename */
    uint32_t flags;            /* enum row_flag */
    double *pressure;          /* cycles per port, ports of the machine */
};

enum bound_kind { BOUND_PORTS, BOUND_PIPES, BOUND_ISSUE, BOUND_FRONTEND, BOUND_DEPENDENCIES, BOUND_COUNT };

struct analysis {
    const struct machine *machine;   /* borrowed */
    struct analysis_row *rows;
    size_t count;
    double *totals;                  /* cycles per port */
    double bounds[BOUND_COUNT];      /* NaN: not modelled on this machine or in this version */
    portset bottleneck_ports;        /* of the port bound */
    double cycles;                   /* maximum of the bounds */
    enum bound_kind bottleneck;
    bool lower_bound;                /* a form is unknown */
    char *sentence;                  /* what binds, in words */
};

/* NULL only on bugs: every kernel can be analysed. Any thread; borrows @k and @m. */
struct analysis *analysis_new(const struct kernel *k, const struct machine *m);
void analysis_free(struct analysis *a);
const char *bound_name(enum bound_kind kind);       /* "ports", "dividers", "issue", ... as in the JSON keys */
const char *row_flag_name(uint32_t one_flag);       /* "unknown", "zero-idiom", ... as in the JSON flags */

#endif
