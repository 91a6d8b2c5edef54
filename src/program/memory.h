/* Memory of a machine as cache levels from its facts, and the costs of references by reuse
 * distance. */
#ifndef PORTOLAN_PROGRAM_MEMORY_H
#define PORTOLAN_PROGRAM_MEMORY_H

#include "base/err.h"
#include "base/vec.h"
#include "model/machine.h"
#include "model/memory_costs.h"
#include "program/sdcm.h"
#include "program/sharing.h"

#define MEMORY_LEVELS 3
#define MEMORY_LINE 64.0             /* bytes per line in traces */

struct memory_level {
    struct cache_shape shape;        /* capacity in lines */
    double latency;                  /* cycles from address to value */
    /* cycles per streamed line from this level; 0 for the first, where accesses themselves cost */
    double line_cycles;
    /* least cycles per line, for independent random lines */
    double miss_cycles;
};

/* Reuse distances as time. The mean part of the run in which the program touches @lines other
 * lines. */
struct age { double distance, part; };
struct ages { VEC(struct age) list; };   /* both members ascending */

struct memory {
    struct memory_level levels[MEMORY_LEVELS];
    size_t count;                    /* 1 to 3 */
    double latency, line_cycles;     /* of main memory, in core cycles */
    /* cost of a written line in a stream, relative to a read one */
    double line_write;
    /* cost per line of a single stream from main memory, relative to one of two streams */
    double line_alone;
    /* bytes: walks with steps up to this are prefetched from the second level */
    double prefetch_step;
    /* least cycles per line if all lines map to one set of the first level; 0: no additional
     * cost */
    double crowded_cycles;
    /* entries of the last TLB level; cycles of a miss, among other independent ones */
    double pages, walk_cycles;
    /* share of the second level's evictions that hit a random line of the set; the rest the least
     * recently used */
    double second_any;
    double clock_hz;
    /* reuse times of the program; NULL: unknown, so other processes replace no lines */
    const struct ages *ages;
    /* per level: share of the run's time in which other processes continuously replace all but 1/e
     * of its lines; 0: none */
    double kept[MEMORY_LEVELS];
    /* per level: times per run that a preempting process fills it */
    double left[MEMORY_LEVELS];
    /* sharing of the last level by the program's threads; memory_of sets none */
    struct sharing sharing;
};

/* Reads the memory of @m from its facts. False with err when facts are missing or its line size
 * differs from that of traces. */
bool memory_of(const struct machine *m, struct memory *out, struct err *err);
/* Probability that level @level has the line of a reference at @distance in the serial run; @shape:
 * the level's, or its used part. */
double memory_hit(const struct memory *m, size_t level, const struct cache_shape *shape,
                  double distance);
/* Shares of references at @distance in the serial run that each level and finally main memory
 * serve: count + 1 of them, summing to 1. @step: bytes per step of a steady walk, else 0. Large
 * powers of two leave most sets of the first and second level unused; the last level hashes its
 * sets. @alike: share of the intervening lines with such steps; the others are spread over all
 * sets. */
void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1]);
/* Returns whether walks in steps of @step bytes are prefetched from the second level. */
bool memory_prefetched(const struct memory *m, double step);
/* Returns whether lines @step bytes apart all map to one set of the first level. */
bool memory_one_set(const struct memory *m, double step);
/* Cycles of a page walk for a page after @pages others; 0 while the TLB holds it. */
double memory_walk(const struct memory *m, double pages);
/* Mean latency or cycles per line over the shares, nested as in lambda = P1 l1 + (1 - P1)(P2 l2 +
 * ...). */
double memory_latency(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
double memory_line_cycles(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
/* Returns the share of the run's time, 0 to 1; 0 if unknown. */
double ages_at(const struct ages *ages, double distance);
void ages_done(struct ages *ages);

#endif
