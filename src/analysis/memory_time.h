/* Time of a loop by the size of its arrays, from its streams, the core's cycles and the costs of
 * lines (model/memory_costs.h) */
#ifndef PORTOLAN_ANALYSIS_MEMORY_TIME_H
#define PORTOLAN_ANALYSIS_MEMORY_TIME_H

#include "analysis/streams.h"
#include "base/str.h"
#include "model/memory_costs.h"

enum memory_limit {
    LIMIT_CORE, LIMIT_AHEAD, LIMIT_LINES, LIMIT_STREAMED, LIMIT_RANDOM, LIMIT_SKIPPED, LIMIT_HOPS,
    MEMORY_LIMITS
};

/* The core's time of a loop with all data in the first-level cache */
struct memory_core {
    double cycles;                  /* cycles per iteration */
    /* cycles per iteration in which loads and stores use the first-level cache (T_nOL of the ECM
     * model). Line transfers do not overlap with these cycles. */
    double own;
    /* number of reorder buffer entries per iteration; 0: unknown, and LIMIT_AHEAD is not
     * computed */
    double uops;
    /* number of entries of the reorder buffer, and of the schedulers; NaN: unknown */
    double window, scheduler;
    double reload;                  /* latency of a load from the first-level cache, in cycles */
};

struct memory_time {
    double cycles;                  /* cycles per iteration */
    /* cycles per iteration of each part; LIMIT_CORE: the core with all data in the first-level
     * cache */
    double parts[MEMORY_LIMITS];
    enum memory_limit limit;        /* part that determines @cycles; if this is the transfer of
                                     * lines, the largest part of the transfer */
    /* size in bytes of the address range that each part accesses; 0: the part accesses no lines;
     * INFINITY: non-temporal stores */
    double within[MEMORY_LIMITS];
    /* number of lines transferred per iteration; beyond the first-level cache, a written line
     * counts twice */
    double lines;
    /* bytes of cache that all lines occupy; less than the array size if lines are skipped */
    double held;
};

/* Computes the time for arrays of @bytes in total. Pure. */
struct memory_time memory_time_at(const struct streams *s, const struct memory_costs *m,
                                  const struct memory_core *core, double bytes);
/* Sets out[i] for each cost i on which the time of these streams depends. Pure. */
void memory_time_needs(const struct streams *s, bool out[MEMORY_COSTS]);
/* Appends the limit with its level: "L2 bandwidth", "memory latency", ..., or @core. Pure. */
void memory_limit_print(const struct memory_time *t, const struct memory_costs *m, const char *core,
                        struct str *out);
/* Returns the number of bytes that gathers or chases access if all arrays have @bytes. Pure. */
double memory_region(const struct streams *s, double bytes);

#endif
