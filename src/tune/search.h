/* Versions of a loop on a machine, the best by simulation first: replacements from the table of its
 * instruction set (isa/rewrite.h), other orders (dataflow.h), several iterations at once. */
#ifndef PORTOLAN_TUNE_SEARCH_H
#define PORTOLAN_TUNE_SEARCH_H

#include "model/machine.h"
#include "tune/version.h"

#define TUNE_INSNS 256   /* of the loop: what may not change places is kept by pairs */

struct tune_options {
    unsigned tries;          /* simulations for the order of each kind of version */
    unsigned unroll;         /* iterations at once at most: 1, 2, 4 */
    bool reassociate;        /* sums of floating point may be rounded in another order */
    uint64_t seed;
};

struct tune_hooks {
    bool (*cancelled)(void *self);                                        /* may be NULL */
    void (*progress)(void *self, size_t done, size_t total);              /* may be NULL */
    void *self;
};

struct tuned {
    struct version *version;
    double cycles;           /* per iteration of the loop, simulated */
};

struct tune {
    double cycles;           /* of the loop itself, simulated */
    /* a form of the loop is unknown to the machine: speed-ups cannot be predicted */
    bool unknown;
    bool estimate;           /* the machine's row of one is an estimate */
    VEC(struct tuned) found; /* fastest first; faster than the loop by half a percent or more */
    /* the best of each kind that was tried in vain, fastest first */
    VEC(struct tuned) vain;
    size_t simulated;        /* versions that were simulated */
};

/* NULL with err when cancelled. Borrows all; one thread. */
struct tune *tune_new(const struct insn *insns, size_t count, const struct machine *m,
                      const struct tune_options *options, const struct tune_hooks *hooks,
                      struct err *err);
void tune_free(struct tune *t);

#endif
