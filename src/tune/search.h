/* Searches for faster versions of a loop on a machine by simulation: replacements from the
 * instruction set's table (isa/rewrite.h), other orders (dataflow.h), and several iterations
 * combined. */
#ifndef PORTOLAN_TUNE_SEARCH_H
#define PORTOLAN_TUNE_SEARCH_H

#include "model/machine.h"
#include "tune/version.h"

/* maximum number of instructions of the loop, to limit memory for ordered pairs */
#define TUNE_INSNS 256

struct tune_options {
    unsigned tries; /* maximum number of orders that one search for another order simulates */
    unsigned unroll;         /* maximum number of iterations to combine: 1, 2 or 4 */
    bool reassociate;        /* whether sums of floating-point values may be reordered */
    uint64_t seed;
};

struct tuned {
    struct version *version;
    double cycles;           /* simulated cycles per original iteration */
};

struct tune {
    double cycles;           /* simulated cycles of the loop itself */
    /* whether the machine lacks a form of the loop; speed-ups cannot be predicted then */
    bool unknown;
    bool estimate;           /* whether some values of a form are estimates */
    /* versions that are at least half a percent faster than the loop, fastest first */
    VEC(struct tuned) found;
    /* best version of each kind that has no version in @found, fastest first */
    VEC(struct tuned) vain;
    size_t simulated;        /* number of simulated versions */
};

/* Searches for versions of the loop @insns. All arguments are borrowed. Loops poll
 * watch_over. Returns NULL with err if cancelled. One thread. */
struct tune *tune_new(const struct insn *insns, size_t count, const struct machine *m,
                      const struct tune_options *options, struct err *err);
void tune_free(struct tune *t);

#endif
