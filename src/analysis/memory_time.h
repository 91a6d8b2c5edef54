/* Time of a loop by the size of its memory: combines its streams, the core's cycles and the costs
 * of lines (model/memory_costs.h). */
#ifndef PORTOLAN_ANALYSIS_MEMORY_TIME_H
#define PORTOLAN_ANALYSIS_MEMORY_TIME_H

#include "analysis/streams.h"
#include "base/str.h"
#include "model/memory_costs.h"

enum memory_limit {
    LIMIT_CORE, LIMIT_AHEAD, LIMIT_LINES, LIMIT_STREAMED, LIMIT_RANDOM, LIMIT_SKIPPED, LIMIT_HOPS,
    MEMORY_LIMITS
};

/* The loop as the core sees it, with all data in the first level. */
struct memory_core {
    double cycles;                  /* per iteration */
    /* of these, those in which its loads and stores use the first level (ECM's T_nOL), where
     * transfers do not overlap with them */
    double own;
    /* slots of the reorder buffer, per iteration; 0: unknown, and run-ahead of loads is not
     * reported */
    double uops;
    double window, scheduler;       /* entries of the reorder buffer and of the schedulers */
};

struct memory_time {
    double cycles;                  /* per iteration */
    /* cycles per iteration of each part; LIMIT_CORE: of the core alone */
    double parts[MEMORY_LIMITS];
    enum memory_limit limit;        /* the largest that counts */
    /* bytes that the lines of each part are spread over; 0: it has none */
    double within[MEMORY_LIMITS];
    /* lines per iteration, counting written ones twice beyond the first level */
    double lines;
    /* bytes of a cache that hold all lines: less than the arrays have where lines are left out, and
     * other sets of the cache hold them */
    double held;
};

/* @bytes: of all arrays together. Pure. */
struct memory_time memory_time_at(const struct streams *s, const struct memory_costs *m,
                                  const struct memory_core *core, double bytes);
/* Sets @out for the costs that the time of these streams depends on. Pure. */
void memory_time_needs(const struct streams *s, bool out[MEMORY_COSTS]);
/* Appends "L2 bandwidth", "memory latency", ...: the limit with its level, or @core. Pure. */
void memory_limit_print(const struct memory_time *t, const struct memory_costs *m, const char *core,
                        struct str *out);
/* Bytes of the region of a gather or chase where all arrays have @bytes. Pure. */
double memory_region(const struct streams *s, double bytes);

#endif
