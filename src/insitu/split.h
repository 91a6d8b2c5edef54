/* Why a loop takes longer in its program than predicted: mispredicted branches, caches, or what is left. A term is given where only one cause is there; where both are, neither
 * is: how they overlap depends on their order. Pure. */
#ifndef PORTOLAN_INSITU_SPLIT_H
#define PORTOLAN_INSITU_SPLIT_H

#include <stdbool.h>

enum split_cause { SPLIT_NONE, SPLIT_BRANCH, SPLIT_CACHE, SPLIT_REST, SPLIT_REFUSED };

struct split_facts {
    double live, low, high;    /* cycles per iteration in the program: value and spread */
    double extra;              /* cycles per iteration that timing may add: jumps through a table are translated */
    double predicted;          /* for the executed mix of paths */
    double missed;             /* simulated mispredictions per iteration */
    double fresh, streamed;    /* lines per iteration that were not touched before, by irregular and by regular steps */
    double trip;               /* iterations of a visit */
    bool alone;                /* live is without what is between visits */
    bool calls;                /* the loop calls functions */
};

struct split {
    enum split_cause cause;    /* SPLIT_NONE: nothing is missing beyond the uncertainty */
    double missing;            /* live - predicted; NaN: not known */
    double off;                /* uncertainty of missing */
    const char *why;           /* SPLIT_REFUSED: the reason; static */
};

struct split split_of(const struct split_facts *f);

#endif
