/* Explains why a loop takes longer in its program than predicted: mispredicted branches, cache
 * misses, or other causes. With replays, each cause has its own term. Without replays, the
 * difference is attributed to a cause only if no other cause is possible. Otherwise the terms of
 * overlapping causes would depend on the order of subtraction. Pure. */
#ifndef PORTOLAN_INSITU_SPLIT_H
#define PORTOLAN_INSITU_SPLIT_H

#include <stdbool.h>

enum split_cause { SPLIT_NONE, SPLIT_BRANCH, SPLIT_CACHE, SPLIT_REST, SPLIT_REFUSED };

/* Cycles per iteration of replayed iterations, each with its uncertainty */
struct split_replays {
    double warm, warm_off;         /* cycles with all accessed lines in the cache */
    double trained, trained_off;   /* cycles with all accessed lines in the cache and learned
                                    * branches */
    /* cycles in the program, including those between visits if the replays include them */
    double live;
};

struct split_facts {
    const struct split_replays *replays;   /* replays; NULL: none */

    double live, low, high;    /* cycles per iteration in the program, and their range */
    /* cycles per iteration by which the timing may be too long, because an indirect jump leaves the
     * copies */
    double extra;
    /* cycles that the replays include but @live does not: the return from the original, and the
     * time between visits */
    double besides;
    double predicted;          /* predicted cycles per iteration for the executed paths */
    double missed;    /* simulated mispredictions per iteration */
    /* number of new lines per iteration, with irregular and with regular strides */
    double fresh, streamed;
    double trip;               /* number of iterations per visit of the loop */
    bool alone;                /* whether @live excludes the time between visits */
    bool unseen;               /* whether addresses of loads were not recorded (events_unseen) */
    bool detours;              /* whether exits lead through an indirect jump to the original */
    bool calls;                /* whether the loop calls functions */
};

struct split_term {
    double cycles, off;            /* cycles per iteration and their uncertainty; NaN: unknown */
};

struct split {
    enum split_cause cause;    /* cause; SPLIT_NONE: @missing is at most @off */
    double missing;            /* live - predicted; NaN: unknown */
    double off;                /* uncertainty of @missing */
    const char *why;           /* static reason for SPLIT_REFUSED */
    struct split_term branch, cache, rest;   /* terms from replays; the largest one is the cause */
};

struct split split_of(const struct split_facts *f);

#endif
