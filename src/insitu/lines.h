/* Cache lines of a loop's loads from recorded addresses: the number not touched before in the
 * recording and not predicted by the last step, so that no prefetcher covers them. */
#ifndef PORTOLAN_INSITU_LINES_H
#define PORTOLAN_INSITU_LINES_H

#include "insitu/placed.h"
#include "model/machine.h"

struct load_lines {
    uint32_t at;               /* index in the region's list */
    size_t executed;
    /* new lines by an irregular step */
    size_t fresh;
    size_t streamed;           /* new lines by the previous step */
    /* lines that it comes to in the program, estimated by how many of one recording come again in
     * others; NaN: not known */
    double footprint;
    bool at_least;             /* none came again: it comes to more */
    /* lines that the loop touches until this load comes to the same again; NaN: not known */
    double distance;
};

/* Lines fetched from beyond the first level. */
enum cache_level { CACHE_L2, CACHE_L3, CACHE_MEMORY, CACHE_LEVELS };

/* A machine's caches. */
struct cache_levels {
    double l1, l2, l3;         /* lines that they hold */
    double latency[CACHE_LEVELS];   /* cycles from address to value */
    double stream[CACHE_LEVELS];    /* cycles per line in order */
};

struct loop_lines {
    VEC(struct load_lines) list;   /* most fresh lines first */
    double touched;            /* lines per iteration that are new, of loads and stores */
    size_t iterations;         /* evaluated: the first half of each recording only fills the
                                * caches */
    double fresh, streamed;    /* per iteration; NaN: too few records */
};

/* @bytes: line size. lines_done frees @out. */
void lines_find(const struct placed *x, unsigned bytes, struct loop_lines *out);
void lines_done(struct loop_lines *l);
/* Lines that all loads together come to in the program; *@at_least: some come to more. NaN: not
 * known. */
double lines_all(const struct loop_lines *l, bool *at_least);
/* The caches of @m (may be NULL). False: it does not say enough. */
bool lines_levels(const struct machine *m, unsigned bytes, struct cache_levels *out);
/* Shares of the load's new lines that come from each level; the rest comes from the first. False:
 * it is not known how many lines it comes to. */
bool lines_from(const struct load_lines *l, const struct cache_levels *c, double out[CACHE_LEVELS]);
/* Cycles that the new lines take if nothing overlaps, to weigh loads by; NaN: not known. */
double lines_weight(const struct load_lines *l, const struct cache_levels *c);

#endif
