/* Paths and branch directions in the recorded iterations of a loop */
#ifndef PORTOLAN_INSITU_PATHS_H
#define PORTOLAN_INSITU_PATHS_H

#include "insitu/placed.h"
#include "model/machine.h"

struct path {
    VEC(uint32_t) insns;       /* indices into the region's list, in order of execution */
    uint64_t hash;
    size_t iterations;
    bool leaves;               /* whether the path ends outside the loop */
    bool away;                 /* whether the original executes a part, such as a call */
};

struct path_branch {
    uint32_t at;               /* index of the branch in the region's list */
    /* @executed: number of executions of the branch. @taken: number of executions in which the
     * branch was taken, or in which an indirect jump went to its most frequent target. */
    size_t executed, taken;
    VEC(uint64_t) targets;     /* different targets of an indirect jump */
    VEC(size_t) target_counts;
};

struct paths {
    VEC(struct path) list;             /* paths, most frequent first */
    VEC(struct path_branch) branches;  /* branches, sorted by address */
    /* per recorded iteration: index of its path in @list; the iterations of each stretch are
     * adjacent */
    VEC(uint32_t) order;
    size_t iterations;                 /* number of decoded iterations */
    /* number of recorded iterations that were interrupted and could not be decoded */
    size_t dropped;
};

/* Decodes the events of @x. The caller frees @out with paths_done. */
void paths_find(const struct placed *x, struct paths *out);
void paths_done(struct paths *p);

/* mix.c: predicts the mean cycles of the recorded iterations, in recorded order. Any thread. */

/* Simulates samples of the recorded iterations of @r on @m, each as a repeated block. Returns the
 * mean cycles per iteration; NaN: nothing was recorded. */
double mix_predict(const struct region *r, const struct paths *p, const struct machine *m);
/* Appends the instructions of @path, without calls, to the @count instructions in @out, up to
 * @most. Marks branches as followed. Returns the new count. */
size_t mix_append(const struct region *r, const struct path *path, struct insn *out, size_t count,
                  size_t most);
/* Returns the predicted cycles per iteration if all iterations take path @path; NaN: unknown. */
double mix_predict_path(const struct region *r, const struct path *path, const struct machine *m);

#endif
