/* Memory of a machine: cache levels from its facts, and the costs of references by reuse
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
    /* cycles per streamed line from this level; 0 for the first level, where the accesses
     * themselves take the time */
    double line_cycles;
    /* minimum cycles per line from this level, for independent accesses in random order */
    double miss_cycles;
};

/* Share of the run's time in which the program accesses @distance other lines, on average. */
struct age { double distance, part; };
struct ages { VEC(struct age) list; };   /* both members ascending */

struct memory {
    struct memory_level levels[MEMORY_LEVELS];
    size_t count;                    /* number of levels, 1 to 3 */
    double latency, line_cycles;     /* main memory, in core cycles */
    /* cost of a written line in a stream, relative to a line that is only read */
    double line_write;
    /* cost per line of one stream from main memory, relative to one of two streams */
    double line_alone;
    /* largest step in bytes that is prefetched from the second level */
    double prefetch_step;
    /* least cycles per line if all lines map to one set of the first level; 0: no additional
     * cost */
    double crowded_cycles;
    /* entries of the last TLB level; cycles of a miss among independent misses */
    double pages, walk_cycles;
    /* share of the second level's evictions that choose a random line of the set; the other
     * evictions choose the least recently used line */
    double second_any;
    double column_any;               /* the same in the sets of columns */
    double clock_hz;
    /* reuse times of the program; NULL: unknown, and other processes replace no lines */
    const struct ages *ages;
    /* per level: share of the run's time in which other processes that run continuously replace all
     * but 1/e of its lines; 0: none do */
    double kept[MEMORY_LEVELS];
    /* per level: times per run that a preempting process fills it */
    double left[MEMORY_LEVELS];
    /* sharing of the last level by the program's threads; memory_of sets none */
    struct sharing sharing;
};

/* Reads the memory of @m from its facts. False with err if facts are missing or the line size
 * differs from that of traces. */
bool memory_of(const struct machine *m, struct memory *out, struct err *err);
/* Returns the probability that level @level contains the line of a reference at @distance in the
 * serial run. @shape: the shape of the level, or of its used part. */
double memory_hit(const struct memory *m, size_t level, const struct cache_shape *shape,
                  double distance);
/* Computes the shares of references at @distance in the serial run that each level and then main
 * memory serve: count + 1 shares with the sum 1. @step: bytes per step of a steady walk, else 0.
 * Large powers of two leave most sets of the first and second level unused; the last level hashes
 * its sets. @alike: share of the intervening lines with such steps; all other lines use all
 * sets. */
void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1]);
/* Returns whether walks in steps of @step bytes are prefetched from the second level. */
bool memory_prefetched(const struct memory *m, double step);
/* Returns the least cycles per line from beyond the first level for lines @step bytes apart: above
 * 0 if they use few of its sets. */
double memory_crowded(const struct memory *m, double step);
/* Returns the cycles of a page walk for a page after @pages other pages; 0 if the TLB contains
 * it. */
double memory_walk(const struct memory *m, double pages);
/* Return the mean latency or cycles per line over the shares, nested as in lambda = P1 l1 + (1 -
 * P1)(P2 l2 + ...). */
double memory_latency(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
double memory_line_cycles(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
/* Returns the share of the run's time between two uses at @distance, 0 to 1; 0 if unknown. */
double ages_at(const struct ages *ages, double distance);
void ages_done(struct ages *ages);

#endif
