/* Paths and branch directions of a loop's recorded iterations. */
#ifndef PORTOLAN_INSITU_PATHS_H
#define PORTOLAN_INSITU_PATHS_H

#include "insitu/placed.h"
#include "model/machine.h"

struct path {
    VEC(uint32_t) insns;       /* in order, indices into the region's list */
    uint64_t hash;
    size_t iterations;
    bool leaves;               /* it ends outside the loop */
    bool away;                 /* it has a call */
};

struct path_branch {
    uint32_t at;               /* index in the region's list */
    size_t executed, taken;    /* for indirect jumps taken counts the most frequent target */
    VEC(uint64_t) targets;     /* distinct targets of indirect jumps */
    VEC(size_t) target_counts;
};

struct paths {
    VEC(struct path) list;             /* most frequent first */
    VEC(struct path_branch) branches;  /* sorted by address */
    /* index into list for each recorded iteration, stretch after stretch */
    VEC(uint32_t) order;
    size_t iterations;                 /* recorded and decoded */
    /* recorded but not decoded: interrupted */
    size_t dropped;
};

/* Decodes the events of @x. paths_done frees @out. */
void paths_find(const struct placed *x, struct paths *out);
void paths_done(struct paths *p);

/* mix.c: cycles per iteration predicted for the iterations that were recorded, in their order. Any
 * thread. */

/* Simulates samples of the recorded iterations of @r on @m, each as a repeating block. NaN: nothing
 * was recorded. */
double mix_predict(const struct region *r, const struct paths *p, const struct machine *m);
/* Appends the instructions of @path without calls to @out, with @count filled and room for @most;
 * branches are marked as followed. Returns the new count. */
size_t mix_append(const struct region *r, const struct path *path, struct insn *out, size_t count,
                  size_t most);
/* The same for path @path only. */
double mix_predict_path(const struct region *r, const struct path *path, const struct machine *m);

#endif
