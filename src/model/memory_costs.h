/* Costs of lines beyond the first level, by the size of the memory: from the facts of memory,
 * measured or a machine's own. */
#ifndef PORTOLAN_MODEL_MEMORY_COSTS_H
#define PORTOLAN_MODEL_MEMORY_COSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/machine.h"

#define MEMORY_SIZES 24
#define MEMORY_PAGE 4096.0       /* bytes that the system maps at a time */
#define MEMORY_FEW_UOPS 252
#define MEMORY_SOME_UOPS 72
#define MEMORY_COSTS_DAY 11      /* room for 2026-11-22 */

/* Cycles for each line, unless noted. */
enum memory_cost {
    COST_LOAD,      /* of streams that are read */
    COST_STORE,     /* of streams that are written, fetched and written back with it */
    COST_UPDATE,    /* of streams that are read and written */
    COST_CONCURRENT,    /* of one that is read, next to each that is written */
    COST_STREAMED,  /* of stores that pass the caches by */
    COST_RANDOM,    /* of loads in no order that do not depend on each other */
    COST_PAIRED,    /* of streams that use every second line */
    COST_ODD,       /* every third, as for any step of an odd number of lines */
    COST_SKIPPED,   /* every fourth, as for any step of a multiple of that */
    COST_PAGE,      /* one line of each page, by the bytes that are stepped over */
    COST_HOP,       /* of a load that waits for the one before, from address to value */
    COST_FEW,       /* in order, by a loop of MEMORY_FEW_UOPS per line, most of them idle */
    COST_SOME,      /* the same of MEMORY_SOME_UOPS */
    MEMORY_COSTS,
};

struct memory_costs {
    size_t count;
    double bytes[MEMORY_SIZES];                  /* ascending */
    double cycles[MEMORY_COSTS][MEMORY_SIZES];   /* at this many bytes */
    /* relative, of the measurements: the median over sizes; NaN: not measured */
    double spread[MEMORY_COSTS];
    /* bytes of the first level: up to there a line costs nothing */
    double first;
    double second;                               /* of the second */
    /* of the usable part of the third level; 0: unknown */
    double third;
    double clock_hz;
    /* transfers overlap with the core's own loads and stores: the slowest part counts; else these
     * add up (ECM) */
    bool overlaps;
    /* share of large pages while it was measured; NaN: not known */
    double huge;
    bool measured;                               /* on this CPU; else published or estimated */
    char day[MEMORY_COSTS_DAY];                  /* measured */
};

/* The part of the sets that lines @step bytes apart fall into, as 1 / it: the largest power of two
 * in the step, up to a page, whose place in memory is chance. Pure. */
double memory_crowding(double step);
/* "load", ...; as in the file that keeps them. */
const char *memory_cost_name(enum memory_cost cost);
/* Cycles at @bytes, between sizes by their logarithm. 0 within the first level, which is part of
 * the core's cycles, except for COST_STREAMED, COST_FEW and COST_SOME. Pure. */
double memory_cost_at(const struct memory_costs *m, enum memory_cost cost, double bytes);
/* From the facts of @m. False with err (ERR_MISSING) when it has none. Pure. */
bool memory_costs_of(const struct machine *m, struct memory_costs *out, struct err *err);
/* "L1", "L2", "L3" or "memory": where @bytes are. Pure. */
const char *memory_level_at(const struct memory_costs *m, double bytes);
/* End of the third level by the cost of its lines (the size at which they cost half as much as at
 * the last), 0: not visible. Pure. */
double memory_third_seen(const struct memory_costs *m);

#endif
