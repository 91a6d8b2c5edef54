/* Cache lines of a loop's loads, from recorded addresses. A line is new if the recording did not
 * access it before. Prefetchers are assumed to load only lines that the load's last stride
 * predicts. */
#ifndef PORTOLAN_INSITU_LINES_H
#define PORTOLAN_INSITU_LINES_H

#include "insitu/placed.h"
#include "model/machine.h"

struct load_lines {
    uint32_t at;               /* index of the load in the region's list */
    size_t executed;
    /* number of new lines that the load accesses after an irregular stride */
    size_t fresh;
    size_t streamed;           /* number of new lines that the load accesses after two equal
                                * strides */
    /* number of lines that the load accesses in the program, estimated from the common lines of
     * several recordings; NaN: unknown */
    double footprint;
    /* whether no two recordings have a common line; @footprint is then a lower bound */
    bool at_least;
    /* number of lines that the loop accesses between two accesses of this load to the same line;
     * NaN: unknown */
    double distance;
};

/* Sources of lines beyond the first-level cache */
enum cache_level { CACHE_L2, CACHE_L3, CACHE_MEMORY, CACHE_LEVELS };

/* Caches of a machine; arrays are indexed by level */
struct cache_levels {
    double l1, l2, l3;         /* capacity in lines */
    double latency[CACHE_LEVELS];   /* cycles from address to value */
    double stream[CACHE_LEVELS];    /* cycles per line with sequential access */
};

struct loop_lines {
    VEC(struct load_lines) list;   /* loads, largest @fresh first */
    double touched;            /* number of new lines per iteration of loads and stores */
    /* Number of evaluated iterations, without the first half of each recording, which only fills
     * the set of accessed lines. */
    size_t iterations;
    double fresh, streamed;    /* number of new lines per iteration; NaN: too few records */
};

/* Evaluates the recordings of @x. @bytes: size of a line. The caller frees @out with lines_done. */
void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out);
void lines_done(struct loop_lines *l);
/* Returns the number of lines that all loads with new lines access together in the program; NaN:
 * unknown. Sets *@at_least to whether it is a lower bound. */
double lines_all(const struct loop_lines *l, bool *at_least);
/* Sets @out from the facts of @m (may be NULL). @bytes: size of a line. Returns false if a fact is
 * missing. */
bool lines_levels(const struct machine *m, unsigned bytes, struct cache_levels *out);
/* Computes the shares of a load's new lines that come from each level. The rest comes from the
 * first-level cache. Returns false if the shares are unknown. Stores the shares in @out. */
bool lines_from(const struct load_lines *l, const struct cache_levels *c, double out[CACHE_LEVELS]);
/* Returns the weight of the load: the cycles of its new lines without overlap; NaN: unknown. */
double lines_weight(const struct load_lines *l, const struct cache_levels *c);

#endif
