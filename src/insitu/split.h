/* Attributes a loop's time beyond prediction in its program to mispredicted branches, caches, or
 * the rest. With replays each has its own term. Without, the time is attributed to a single cause
 * if there is only one; with both, to neither, since their overlap depends on their order. Pure. */
#ifndef PORTOLAN_INSITU_SPLIT_H
#define PORTOLAN_INSITU_SPLIT_H

#include <stdbool.h>

enum split_cause { SPLIT_NONE, SPLIT_BRANCH, SPLIT_CACHE, SPLIT_REST, SPLIT_REFUSED };

/* Cycles per iteration of replayed iterations, and their uncertainty. */
struct split_replays {
    double warm, warm_off;         /* with accessed lines in the cache */
    double trained, trained_off;   /* and with learnt branches */
    /* in the program, including code between visits that the replays contain */
    double live;
};

struct split_facts {
    const struct split_replays *replays;   /* NULL: none */

    double live, low, high;    /* cycles per iteration in the program: value and spread */
    /* cycles per iteration that timing may add, since an indirect jump leaves the copies */
    double extra;
    /* cycles in the replays and not in live: the way back from the original, and between visits */
    double besides;
    double predicted;          /* for the mix of executed paths */
    double missed;    /* simulated mispredictions per iteration */
    /* new lines per iteration, by irregular and by regular steps */
    double fresh, streamed;
    double trip;               /* iterations per visit */
    bool alone;                /* live excludes the time between visits */
    bool calls;                /* the loop calls functions */
};

struct split_term {
    double cycles, off;            /* NaN: unknown */
};

struct split {
    enum split_cause cause;    /* SPLIT_NONE: no difference beyond the uncertainty */
    double missing;            /* live - predicted; NaN: unknown */
    double off;                /* of missing */
    const char *why;           /* SPLIT_REFUSED: the reason; static */
    struct split_term branch, cache, rest;   /* of replays: the largest is the cause */
};

struct split split_of(const struct split_facts *f);

#endif
