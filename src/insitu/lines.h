/* Cache lines of a loop's loads, from recorded addresses. Counts lines that were not accessed
 * before in the recording and that the last step does not predict: no prefetcher loads these. */
#ifndef PORTOLAN_INSITU_LINES_H
#define PORTOLAN_INSITU_LINES_H

#include "insitu/placed.h"
#include "model/machine.h"

struct load_lines {
    uint32_t at;               /* index in the region's list */
    size_t executed;
    /* new lines by an irregular step */
    size_t fresh;
    size_t streamed;           /* new lines by a repeated step */
    /* number of lines that the load accesses in the program, estimated from lines that several
     * recordings have in common; NaN: unknown */
    double footprint;
    /* no recordings have a line in common: @footprint is a lower bound */
    bool at_least;
    /* lines that the loop accesses between two accesses of this load to one line; NaN: unknown */
    double distance;
};

/* Sources of lines beyond the first level. */
enum cache_level { CACHE_L2, CACHE_L3, CACHE_MEMORY, CACHE_LEVELS };

/* Caches of a machine. */
struct cache_levels {
    double l1, l2, l3;         /* capacity in lines */
    double latency[CACHE_LEVELS];   /* cycles from address to value */
    double stream[CACHE_LEVELS];    /* cycles per sequential line */
};

struct loop_lines {
    VEC(struct load_lines) list;   /* sorted by @fresh, largest first */
    double touched;            /* new lines of loads and stores per iteration */
    size_t iterations;         /* iterations evaluated; the first half of each recording only
                                * initialises the simulated caches */
    double fresh, streamed;    /* new lines per iteration; NaN: too few records */
};

/* Evaluates the recordings of @x. @bytes: line size. lines_done frees @out. */
void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out);
void lines_done(struct loop_lines *l);
/* Returns the number of lines that all loads access in the program; NaN: unknown. Sets *@at_least
 * if it is a lower bound. */
double lines_all(const struct loop_lines *l, bool *at_least);
/* Reads the caches of @m (may be NULL). Returns false if its facts are incomplete. */
bool lines_levels(const struct machine *m, unsigned bytes, struct cache_levels *out);
/* Computes the shares of the load's new lines from each level; the remainder comes from the first
 * level. Returns false if the number of its lines is unknown. */
bool lines_from(const struct load_lines *l, const struct cache_levels *c, double out[CACHE_LEVELS]);
/* Returns the cycles of the new lines without overlap, as a weight of the load; NaN: unknown. */
double lines_weight(const struct load_lines *l, const struct cache_levels *c);

#endif
