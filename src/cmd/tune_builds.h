/* Builds of a loop's source with other optimisation levels, other compilers, this machine as
 * target, and -ffast-math. Compiles and predicts each. One thread, usually a worker. */
#ifndef PORTOLAN_CMD_TUNE_BUILDS_H
#define PORTOLAN_CMD_TUNE_BUILDS_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/machine.h"

struct tune_build {
    struct str how;              /* difference from the original build: "-O3 -ffast-math, clang" */
    const struct kernel *kernel; /* counted reference */
    size_t loop;
    /* original iterations per iteration of this build */
    double times;
    double cycles;               /* predicted cycles per original iteration */
    bool changes_results;        /* whether floating-point rounding may differ */
};

struct tune_builds {
    /* builds with known work per iteration, without duplicates, fastest first */
    VEC(struct tune_build) list;
    size_t tried;                /* number of compiled builds */
};

/* Compiles the source of @k with each change. Makes no builds if kernel load did not compile @k, or
 * if @k is from a session file. Omits builds that fail or whose work per iteration is unknown.
 * Returns false with err if cancelled. @out must be empty; tune_builds_done frees it. */
bool tune_builds_make(const struct kernel *k, size_t loop, const struct machine *m,
                      struct tune_builds *out, struct err *err);
void tune_builds_done(struct tune_builds *b);

#endif
