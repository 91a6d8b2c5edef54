/* Costs of lines beyond the first level by memory size, from facts: measured or a machine's own. */
#ifndef PORTOLAN_MODEL_MEMORY_COSTS_H
#define PORTOLAN_MODEL_MEMORY_COSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/machine.h"

#define MEMORY_SIZES 24
#define MEMORY_PAGE 4096.0       /* bytes of a page */
#define MEMORY_FEW_UOPS 252
#define MEMORY_SOME_UOPS 72
#define MEMORY_COSTS_DAY 11      /* bytes for 2026-11-22 */

/* Cycles per line, unless noted. */
enum memory_cost {
    COST_LOAD,      /* read streams */
    COST_STORE,     /* written streams, including fetch and write-back */
    COST_UPDATE,    /* streams read and written */
    COST_CONCURRENT,    /* a read stream next to each written one */
    COST_STREAMED,  /* non-temporal stores */
    COST_RANDOM,    /* independent random loads */
    COST_PAIRED,    /* streams that use every second line */
    COST_ODD,       /* every third, as for any odd stride */
    COST_SKIPPED,   /* every fourth, as for any multiple of it */
    COST_PAGE,      /* one line per page, by the bytes stepped over */
    COST_HOP,       /* dependent loads, from address to value */
    COST_FEW,       /* sequential, in a loop of MEMORY_FEW_UOPS per line, most of them idle */
    COST_SOME,      /* the same with MEMORY_SOME_UOPS */
    MEMORY_COSTS,
};

struct memory_costs {
    size_t count;
    double bytes[MEMORY_SIZES];                  /* ascending */
    double cycles[MEMORY_COSTS][MEMORY_SIZES];   /* for arrays of this size */
    /* relative error of the measurements: the median over sizes; NaN: not measured */
    double spread[MEMORY_COSTS];
    /* bytes of the first level, where lines cost nothing */
    double first;
    double second;                               /* bytes of the second level */
    /* bytes of the usable part of the third level; 0: unknown */
    double third;
    double clock_hz;
    /* transfers overlap with the core's loads and stores: the slowest part counts; if not, these
     * add up (ECM) */
    bool overlaps;
    /* share of huge pages during the measurement; NaN: unknown */
    double huge;
    bool measured;                               /* on this CPU; if not, published or estimated */
    char day[MEMORY_COSTS_DAY];                  /* measured */
};

/* Inverse share of the sets used by lines @step bytes apart: the largest power of two in the step,
 * up to a page, since pages are placed randomly. Pure. */
double memory_crowding(double step);
/* "load", ...; as in the file of kept costs. */
const char *memory_cost_name(enum memory_cost cost);
/* Cycles at @bytes, interpolated over the logarithm of the size. 0 within the first level, which is
 * part of the core's cycles, except for COST_STREAMED, COST_FEW and COST_SOME. Pure. */
double memory_cost_at(const struct memory_costs *m, enum memory_cost cost, double bytes);
/* Reads the facts of @m. False with err (ERR_MISSING) when it has none. Pure. */
bool memory_costs_of(const struct machine *m, struct memory_costs *out, struct err *err);
/* "L1", "L2", "L3" or "memory" for @bytes. Pure. */
const char *memory_level_at(const struct memory_costs *m, double bytes);
/* Size of the third level by the cost of its lines (where they cost half as much as at the last
 * size), 0: not visible. Pure. */
double memory_third_seen(const struct memory_costs *m);

#endif
