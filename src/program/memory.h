/* The memory of a machine as levels of caches, from its facts, and the costs of references of given
 * reuse distances there. */
#ifndef PORTOLAN_PROGRAM_MEMORY_H
#define PORTOLAN_PROGRAM_MEMORY_H

#include "base/err.h"
#include "model/machine.h"
#include "model/memory_costs.h"
#include "program/sdcm.h"
#include "program/sharing.h"

#define MEMORY_LEVELS 3
#define MEMORY_LINE 64.0             /* bytes that traces count lines in */

struct memory_level {
    struct cache_shape shape;        /* in lines */
    double latency;                  /* cycles from address to value */
    /* cycles per line in a stream from this level: of the first, the accesses themselves, 0 */
    double line_cycles;
    /* least cycles per line, of independent lines in random order */
    double miss_cycles;
};

struct ages;

struct memory {
    struct memory_level levels[MEMORY_LEVELS];
    size_t count;                    /* 1 to 3 */
    double latency, line_cycles;     /* of main memory, cycles at the clock */
    /* cycles of a line that is written to in a stream, in those of one that is read */
    double line_write;
    /* cycles per line of a single stream from main memory, in those of each of two */
    double line_alone;
    /* bytes: lines up to this distance are prefetched from the second level in a steady walk */
    double prefetch_step;
    /* per line at least, of lines that all come to one set of the first level; 0: no more than
     * others */
    double crowded_cycles;
    /* translations that the last level of the TLB holds; cycles of one that is not there, among
     * others that do not depend on it */
    double pages, walk_cycles;
    /* the part of the second level's evictions that any line of the set suffers; the others the
     * least recently used one */
    double second_any;
    double clock_hz;
    /* times between reuses of the program; NULL: unknown, and no lines are replaced by others */
    const struct ages *ages;
    /* of each level, the part of the run's time in which others replace all but 1/e of its lines
     * there by the clock; 0: none */
    double kept[MEMORY_LEVELS];
    /* of each level, how many times during the run others fill it by taking over the CPU */
    double left[MEMORY_LEVELS];
    /* of the last level, by threads of the program; memory_of leaves it unshared */
    struct sharing sharing;
};

/* False with err when @m lacks facts, or has other lines than traces. Any thread. */
bool memory_of(const struct machine *m, struct memory *out, struct err *err);
/* Chance that level @level has the line of a reference at @distance in the serial run; @shape: the
 * level's, or its used part. */
double memory_hit(const struct memory *m, size_t level, const struct cache_shape *shape,
                  double distance);
/* Shares of references at @distance in the serial run that each level and, last, main memory serve:
 * count + 1 of them, 1 in sum. @step: bytes from one of these references to the next in a steady
 * walk, else 0; large powers of two leave most sets of the first and second level unused, the last
 * one spreads lines by a hash. @alike: the part of the lines in between with such a walk; the
 * others are spread over all sets. */
void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1]);
/* Whether the lines of a walk in steps of @step bytes are prefetched from the second level. */
bool memory_prefetched(const struct memory *m, double step);
/* Whether lines @step bytes apart all come to the same set of the first level. */
bool memory_one_set(const struct memory *m, double step);
/* Cycles that a translation takes the page walkers, of a page after which @pages others were used:
 * 0 while the TLB holds it. */
double memory_walk(const struct memory *m, double pages);
/* Mean latency, or cycles per line, over the shares: nested as in lambda = P1 l1 + (1 - P1)(P2 l2 +
 * ...). */
double memory_latency(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
double memory_line_cycles(const struct memory *m, const double served[MEMORY_LEVELS + 1]);

#endif
