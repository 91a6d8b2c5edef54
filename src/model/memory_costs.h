/* Costs of cache lines beyond the first-level cache by array size, from facts or from measurements
 * of this CPU. */
#ifndef PORTOLAN_MODEL_MEMORY_COSTS_H
#define PORTOLAN_MODEL_MEMORY_COSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/machine.h"

#define MEMORY_SIZES 24
#define MEMORY_PAGE 4096.0       /* size of a page in bytes */
#define MEMORY_FEW_UOPS 252
#define MEMORY_SOME_UOPS 72
#define MEMORY_COSTS_DAY 11      /* size in bytes of a date, including the NUL */

/* Costs in cycles per line, unless noted otherwise */
enum memory_cost {
    COST_LOAD,      /* several streams that are read */
    COST_ALONE,     /* a single stream that is read */
    COST_STORE,     /* streams that are written, including fetch and write-back */
    COST_UPDATE,    /* streams that are read and written */
    COST_CONCURRENT,    /* a read stream concurrent with each written stream */
    COST_STREAMED,  /* non-temporal stores */
    COST_COPIED,    /* a line that is read together with a line of non-temporal stores */
    COST_RANDOM,    /* independent random loads, four per iteration */
    COST_SINGLE,    /* independent random loads, one per iteration */
    COST_SCATTER,   /* independent random stores */
    COST_PAIRED,    /* streams with a stride of two lines */
    COST_ODD,       /* streams with a stride of three lines, or any odd stride */
    COST_SKIPPED,   /* streams with a stride of four lines, or a multiple of four */
    COST_EVERY_16,  /* streams with a stride of 16 lines */
    COST_EVERY_64,  /* streams with a stride of 64 lines, all in one set of a usual first-level
                     * cache */
    COST_STORE_8,   /* written streams with a stride of 8 lines */
    COST_STORE_64,  /* written streams with a stride of 64 lines */
    COST_PAGE,      /* one line per page; the array size includes unused lines */
    COST_HOP,       /* dependent loads, in cycles from address to value */
    /* sequential loads in a loop of MEMORY_FEW_UOPS µops per line, mostly nops */
    COST_FEW,
    COST_SOME,      /* sequential loads in a loop of MEMORY_SOME_UOPS µops per line */
    MEMORY_COSTS,
};

struct memory_costs {
    size_t count;
    double bytes[MEMORY_SIZES];                  /* array sizes, ascending */
    double cycles[MEMORY_COSTS][MEMORY_SIZES];   /* costs for arrays of each size */
    /* relative error of the measurements, median over sizes; NaN: not measured */
    double spread[MEMORY_COSTS];
    /* size of the first-level cache in bytes; its lines cost 0 */
    double first;
    double second;                               /* size of the second-level cache in bytes */
    /* size of the third-level cache that a program can use, in bytes; 0: unknown */
    double third;
    double clock_hz;             /* core clock to which @cycles apply, in Hz */
    /* whether line transfers overlap with the core's loads and stores; the slower of the two then
     * determines the time, otherwise their times add up (ECM) */
    bool overlaps;
    bool reads_wait;             /* whether a loop that only reads waits for some lines beyond the
                                  * second-level cache, although their transfers overlap */
    /* share of the memory in huge pages during the measurement; NaN: unknown */
    double huge;
    /* whether the costs were measured on this CPU; otherwise they are published or estimated */
    bool measured;
    char day[MEMORY_COSTS_DAY];                  /* date of the measurement */
};

/* Returns the inverse share of the cache sets that lines @step bytes apart use: the largest power
 * of two that divides the step in lines, up to @most bytes. @most is MEMORY_PAGE, because pages
 * have random addresses. In larger pages, @most is the number of bytes of a way of the cache.
 * Pure. */
double memory_crowding(double step, double most);
/* Returns the time of two parts that partly overlap: @core, the time of the core's work, and @wait,
 * the time of waiting for lines if few lines are in flight. The result is the cube root of the sum
 * of their cubes. Pure. */
double memory_together(double core, double wait);
/* Returns the time of waiting (@wait of memory_together) if @both is the result for @core; 0 if
 * @both is less than @core. Pure. */
double memory_wait_in(double both, double core);
/* Returns the cost's name in the file of stored costs: "load", ... */
const char *memory_cost_name(enum memory_cost cost);
/* Returns whether the cost at @bytes is a cost of shared caches or memory, which do not have the
 * core's clock. Pure. */
bool memory_cost_shared(const struct memory_costs *m, enum memory_cost cost, double bytes);
/* Returns the cost at @bytes, interpolated over the logarithm of the size. In the first-level cache
 * the cost is 0, because the core's cycles include it, except for COST_STREAMED, COST_COPIED,
 * COST_FEW and COST_SOME. Returns NaN if the costs are unknown. Pure. */
double memory_cost_at(const struct memory_costs *m, enum memory_cost cost, double bytes);
/* Converts the costs to a core clock of @hz. Costs beyond the second-level cache, and costs of
 * non-temporal stores, are times that do not depend on the core's clock. Changes nothing if a clock
 * is unknown. Pure. */
void memory_costs_clock(struct memory_costs *m, double hz);
/* Reads the costs from the facts of @m. Returns false with err (ERR_MISSING) if the machine lacks
 * facts of caches or memory. Pure. */
bool memory_costs_of(const struct machine *m, struct memory_costs *out, struct err *err);
/* Returns the level that has space for arrays of @bytes: "L1", "L2", "L3" or "memory", or "L3 or
 * memory" if no third level is known. Pure. */
const char *memory_level_at(const struct memory_costs *m, double bytes);
/* Estimates the size in bytes of the third-level cache: the largest size, at least twice the
 * second-level cache, at which random loads are fast. Fast loads cost at most the mean of the costs
 * at twice the second-level cache and at the last size. Returns 0 if the second of these costs is
 * at most 1.5 times the first. Pure. */
double memory_third_seen(const struct memory_costs *m);

#endif
