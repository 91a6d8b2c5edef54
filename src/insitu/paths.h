/* Paths and branch outcomes of the recorded iterations of a loop. Any thread. */
#ifndef PORTOLAN_INSITU_PATHS_H
#define PORTOLAN_INSITU_PATHS_H

#include "insitu/placed.h"

struct path {
    VEC(uint32_t) insns;       /* in order, of the region's list */
    uint64_t hash;
    size_t iterations;
    bool leaves;               /* control leaves the loop at its end */
    bool away;                 /* it has a call */
};

struct path_branch {
    uint32_t at;               /* in the region's list */
    size_t executed, taken;    /* indirect jumps: taken is the count of the commonest target */
    VEC(uint64_t) targets;     /* of indirect jumps, each once */
    VEC(size_t) target_counts;
};

struct paths {
    VEC(struct path) list;             /* the commonest first */
    VEC(struct path_branch) branches;  /* by address */
    /* path of each recorded iteration, one stretch after the other; an index into list */
    VEC(uint32_t) order;
    size_t iterations;                 /* recorded and understood */
    /* recorded and not understood: the program was interrupted within them */
    size_t dropped;
};

/* Reads the events of @x. paths_done frees @out. */
void paths_find(const struct placed *x, struct paths *out);
void paths_done(struct paths *p);

#endif
