/* Checks that a version computes the same results as its loop. Runs both on random inputs, and
 * compares registers, flags and memory. */
#ifndef PORTOLAN_TUNE_SAME_H
#define PORTOLAN_TUNE_SAME_H

#include "measure/sandbox.h"
#include "tune/version.h"

struct same {
    unsigned agreed;      /* number of inputs with equal results */
    /* number of inputs without a comparison: the loop itself faults, or a run receives too little
     * CPU time */
    unsigned skipped;
    /* whether a difference was found, after which no further inputs were tried */
    bool differs;
    char where[64];       /* place of the difference, such as "rax" or "memory or flags" */
};

/* Returns the reason why @insns cannot be compared on this CPU; NULL if they can. */
const char *same_refused(const struct insn *insns, size_t count);
/* Tries @inputs random inputs. Returns false with err if the code cannot run or the check was
 * cancelled. One thread. */
bool same_try(struct sandbox *s, const struct insn *insns, size_t count, const struct version *c,
              unsigned inputs, uint64_t seed, struct same *out, struct err *err);

#endif
