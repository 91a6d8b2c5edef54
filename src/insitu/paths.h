/* Paths and branch directions of a loop's recorded iterations. */
#ifndef PORTOLAN_INSITU_PATHS_H
#define PORTOLAN_INSITU_PATHS_H

#include "insitu/placed.h"

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

#endif
