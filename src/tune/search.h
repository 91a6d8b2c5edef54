/* Versions of a loop on a machine, best by simulation first: replacements from its instruction
 * set's table (isa/rewrite.h), other orders (dataflow.h), several iterations combined. */
#ifndef PORTOLAN_TUNE_SEARCH_H
#define PORTOLAN_TUNE_SEARCH_H

#include "model/machine.h"
#include "tune/version.h"

#define TUNE_INSNS 256   /* instructions of the loop: order constraints are stored as pairs */

struct tune_options {
    unsigned tries;          /* simulations for the order of each kind of version */
    unsigned unroll;         /* iterations combined, at most: 1, 2, 4 */
    bool reassociate;        /* floating-point sums may be reordered */
    uint64_t seed;
};

struct tune_hooks {
    bool (*cancelled)(void *self);                                        /* may be NULL */
    void (*progress)(void *self, size_t done, size_t total);              /* may be NULL */
    void *self;
};

struct tuned {
    struct version *version;
    double cycles;           /* per original iteration, simulated */
};

struct tune {
    double cycles;           /* of the loop itself, simulated */
    /* the machine lacks a form of the loop: speed-ups cannot be predicted */
    bool unknown;
    bool estimate;           /* a form's data in the machine are estimates */
    VEC(struct tuned) found; /* fastest first; at least half a percent faster than the loop */
    /* the best unsuccessful version of each kind, fastest first */
    VEC(struct tuned) vain;
    size_t simulated;        /* number of simulated versions */
};

/* NULL with err when cancelled. Borrows everything; one thread. */
struct tune *tune_new(const struct insn *insns, size_t count, const struct machine *m,
                      const struct tune_options *options, const struct tune_hooks *hooks,
                      struct err *err);
void tune_free(struct tune *t);

#endif
