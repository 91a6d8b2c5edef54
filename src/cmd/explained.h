/* Result of the last `program explain`, for other commands and views. UI thread, except
 * explained_free. */
#ifndef PORTOLAN_CMD_EXPLAINED_H
#define PORTOLAN_CMD_EXPLAINED_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

/* A path through the loop, by recorded branch directions. */
struct explained_path {
    double share;            /* of the recorded iterations */
    double predicted, alone; /* cycles: simulated, and measured alone; NaN: none */
    bool leaves;             /* it ends outside the loop */
    size_t executed;         /* executed instructions, including those that call */
    /* executed instructions except calls; texts borrowed from the kernel; empty for a path that is
     * too long */
    VEC(struct insn) insns;
};

struct explained_loop {
    const struct kernel *kernel; /* held */
    size_t loop;
    double cycles, low, high; /* per iteration in the program, and their spread; NaN: not
                               * measured */
    double predicted;         /* for the mix of executed paths; NaN: no machine */
    const char *cause;        /* cause of the additional time; static */
    size_t iterations;        /* number recorded */
    double lines;             /* per iteration, that its loads come to anew; NaN: not recorded */
    double bytes;             /* that they come to in the program, estimated; NaN: not known */
    bool bytes_at_least;
    VEC(struct explained_path) paths; /* most frequent first */
};

void explained_free(struct explained_loop *x);
/* Returns whether @loop of @k is the explained code; @x may be NULL. */
bool explained_is(const struct explained_loop *x, const struct kernel *k, size_t loop);
/* Returns the most frequent path that stays in the loop; NULL: none recorded, or too long. */
const struct explained_path *explained_main(const struct explained_loop *x);
/* Adds what its loads come to in the program, if it is known; @x may be NULL. */
void explained_print_memory(const struct explained_loop *x, struct str *out);
/* Adds the times in the program, and those of each path. */
void explained_print(const struct explained_loop *x, struct str *out);

#endif
