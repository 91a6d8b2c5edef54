/* Attributes a loop's time beyond its prediction in the program to mispredicted branches, cache
 * misses, or other causes. With replays each cause has its own term. Without replays the time is
 * attributed to a cause only if it is the only possible one, because the overlap of several depends
 * on their order. Pure. */
#ifndef PORTOLAN_INSITU_SPLIT_H
#define PORTOLAN_INSITU_SPLIT_H

#include <stdbool.h>

enum split_cause { SPLIT_NONE, SPLIT_BRANCH, SPLIT_CACHE, SPLIT_REST, SPLIT_REFUSED };

/* Cycles per iteration of replayed iterations, and their uncertainty. */
struct split_replays {
    double warm, warm_off;         /* accessed lines in the cache */
    double trained, trained_off;   /* accessed lines in the cache, branches learnt */
    /* cycles in the program, including code between visits that the replays contain */
    double live;
};

struct split_facts {
    const struct split_replays *replays;   /* NULL: no replays */

    double live, low, high;    /* cycles per iteration in the program: value and range */
    /* cycles per iteration that timing may add, because an indirect jump leaves the copies */
    double extra;
    /* cycles in the replays but not in @live: the return from the original, and the time between
     * visits */
    double besides;
    double predicted;          /* prediction for the mix of executed paths */
    double missed;    /* simulated mispredictions per iteration */
    /* new lines per iteration by irregular steps, and by regular steps */
    double fresh, streamed;
    double trip;               /* iterations per visit */
    bool alone;                /* @live excludes the time between visits */
    bool calls;                /* the loop calls functions */
};

struct split_term {
    double cycles, off;            /* cycles and their uncertainty; NaN: unknown */
};

struct split {
    enum split_cause cause;    /* SPLIT_NONE: the difference is within the uncertainty */
    double missing;            /* live - predicted; NaN: unknown */
    double off;                /* uncertainty of @missing */
    const char *why;           /* SPLIT_REFUSED: the reason; static */
    struct split_term branch, cache, rest;   /* terms from replays; the largest is the cause */
};

struct split split_of(const struct split_facts *f);

#endif
