/* Result of the last `program explain` of a loop in its program, for other commands and views. UI
 * thread, except explained_free. */
#ifndef PORTOLAN_CMD_EXPLAINED_H
#define PORTOLAN_CMD_EXPLAINED_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"

/* One way through the loop, by its recorded outcomes. */
struct explained_path {
    double share;            /* of the recorded iterations */
    double predicted, alone; /* cycles: simulated, measured without the program; NaN: not */
    bool leaves;             /* control leaves the loop at its end */
    size_t executed;         /* instructions, those that call among them */
    /* without these; texts are borrowed from the kernel; none of a path that is too long to keep */
    VEC(struct insn) insns;
};

struct explained_loop {
    const struct kernel *kernel; /* held */
    size_t loop;
    double cycles, low, high; /* per iteration in the program, and their spread; NaN: not timed */
    double predicted;         /* for the executed mix of paths; NaN: no machine */
    const char *cause;        /* of the missing time; static */
    size_t iterations;        /* that were recorded */
    VEC(struct explained_path) paths; /* the commonest first */
};

void explained_free(struct explained_loop *x);
/* Whether @loop of @k is the code that was explained; @x may be NULL. */
bool explained_is(const struct explained_loop *x, const struct kernel *k, size_t loop);
/* The commonest path that stays in the loop; NULL: none was recorded, or it is too long to keep. */
const struct explained_path *explained_main(const struct explained_loop *x);
/* Adds the times in the program, and those of each path. */
void explained_print(const struct explained_loop *x, struct str *out);

#endif
