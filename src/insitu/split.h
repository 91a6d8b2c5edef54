/* Attributes the time beyond prediction of a loop in its program: mispredicted branches, caches, or
 * the rest. With replayed iterations each has its term. Else it is attributed to one cause, if
 * there is only one; with both, neither is given, since their overlap depends on their order.
 * Pure. */
#ifndef PORTOLAN_INSITU_SPLIT_H
#define PORTOLAN_INSITU_SPLIT_H

#include <stdbool.h>

enum split_cause { SPLIT_NONE, SPLIT_BRANCH, SPLIT_CACHE, SPLIT_REST, SPLIT_REFUSED };

/* Cycles per iteration of iterations that were run again, and how far off they may be. */
struct split_replays {
    double warm, warm_off;         /* accessed lines were in the cache before */
    double trained, trained_off;   /* and their branches were known */
    /* the same in the program, with what of the code between visits the replays have */
    double live;
};

struct split_facts {
    const struct split_replays *replays;   /* NULL: there are none */

    double live, low, high;    /* cycles per iteration in the program: value and spread */
    /* cycles per iteration that timing may add: an indirect jump leads out of the copies */
    double extra;
    /* that replays take and live is without: the way back from the original, what is between
     * visits */
    double besides;
    double predicted;          /* for the executed mix of paths */
    double missed;    /* simulated mispredictions per iteration */
    /* lines per iteration that were not touched before, by irregular and by regular steps */
    double fresh, streamed;
    double trip;               /* iterations of a visit */
    bool alone;                /* live is without what is between visits */
    bool calls;                /* the loop calls functions */
};

struct split_term {
    double cycles, off;            /* NaN: not known */
};

struct split {
    enum split_cause cause;    /* SPLIT_NONE: nothing is missing beyond the uncertainty */
    double missing;            /* live - predicted; NaN: not known */
    double off;                /* uncertainty of missing */
    const char *why;           /* SPLIT_REFUSED: the reason; static */
    struct split_term branch, cache, rest;   /* of replays: the cause is the largest */
};

struct split split_of(const struct split_facts *f);

#endif
