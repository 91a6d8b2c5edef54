/* Memory of a machine: cache levels from its facts, and the costs of references by reuse
 * distance */
#ifndef PORTOLAN_PROGRAM_MEMORY_H
#define PORTOLAN_PROGRAM_MEMORY_H

#include "base/err.h"
#include "base/vec.h"
#include "model/machine.h"
#include "model/memory_costs.h"
#include "program/sdcm.h"
#include "program/sharing.h"

#define MEMORY_LEVELS 3
#define MEMORY_LINE 64.0             /* number of bytes per line in traces */
#define MEMORY_SOME_SETS 1024u       /* distance in bytes of the lines of l1_crowded_1k_cycles */

/* Use of the lines of a reference by a loop */
enum line_use {
    LINE_READ,
    LINE_WRITTEN, /* written only: the line is fetched and written back */
    LINE_UPDATED, /* read and written */
};

struct memory_level {
    struct cache_shape shape;        /* capacity in lines */
    double latency;                  /* cycles from address to value */
    /* Cycles per line that streams from this level. 0 for the first level, whose accesses the
     * core's cycles include. */
    double line_cycles;
    /* minimum cycles per line from this level for independent accesses in random order */
    double miss_cycles;
    double update_cycles; /* additional cycles per line that is read and written */
};

/* @part: mean share of the run's time in which the program accesses @distance other lines */
struct age { double distance, part; };
struct ages { VEC(struct age) list; };   /* Ages in ascending order of both members */

struct memory {
    struct memory_level levels[MEMORY_LEVELS];
    size_t count;                    /* number of levels, 1 to 3 */
    double latency, line_cycles;     /* latency and cycles per streamed line of main memory, in core
                                      * cycles */
    double stream_latency;           /* cycles from address to value for a line of a stream from
                                      * main memory */
    /* number of lines per stream that prefetchers have in flight in a slow loop; NaN: they never
     * limit the loop */
    double ahead;
    /* overlap of lines streamed from main memory with the core's work, as a share of the smaller
     * time */
    double hidden;
    /* cycles of a written line in a stream, divided by those of a line that is only read */
    double line_write;
    /* cycles per line of a single stream from main memory, divided by those of two streams */
    double line_alone;
    /* largest stride in bytes with which lines are prefetched from the second level */
    double prefetch_step;
    /* minimum cycles per line if all lines are in one set of the first level; 0: the same as for
     * other lines */
    double crowded_cycles;
    /* power of the share of sets that lines leave unused, with which crowded_cycles grows */
    double crowded_power;
    /* @pages: entries of the last TLB level. @walk_cycles: cycles per miss of independent
     * accesses. */
    double pages, walk_cycles;
    /* Share of the second level's evictions that choose a random line of the set. The other
     * evictions choose the least recently used line. */
    double second_any;
    /* share of random choices for lines with power-of-two strides, which use few sets */
    double column_any;
    double clock_hz;
    /* reuse times of the program; NULL: unknown, and other processes are assumed to evict no
     * lines */
    const struct ages *ages;
    /* per level: share of the run's time in which processes on other cores replace all but 1/e of
     * the program's lines in the level; 0: no such process */
    double kept[MEMORY_LEVELS];
    /* per level: number of times per run that preempting processes fill the level */
    double left[MEMORY_LEVELS];
    /* sharing of the last level by the program's threads; memory_of sets no threads */
    struct sharing sharing;
};

/* Reads the memory of @m from its facts. Returns false with err if facts are missing, or if the
 * line size differs from that of traces. */
bool memory_of(const struct machine *m, struct memory *out, struct err *err);
/* Returns the probability that a reference hits level @level. @distance: the reference's distance
 * in the serial run. @shape: shape of the level, or of its used part. */
double memory_hit(const struct memory *m, size_t level, const struct cache_shape *shape,
                  double distance);
/* Computes the shares of references that each level and main memory serve: count + 1 values with
 * the sum 1. @distance: the references' distance in the serial run. @step: stride in bytes of a
 * steady walk, else 0. Large powers of two leave most sets of the first and second level unused.
 * The last level hashes its sets. @alike: share, among the lines accessed in between, of lines with
 * such strides; the other lines use all sets. Stores the shares in @out. */
void memory_served(const struct memory *m, double distance, double step, double alike,
                   double out[MEMORY_LEVELS + 1]);
/* Returns whether walks with a stride of @step bytes are prefetched from the second level. */
bool memory_prefetched(const struct memory *m, double step);
/* Returns the minimum cycles per line from level @level beyond the first for lines @step bytes
 * apart. The result is above 0 if the lines use few sets of the level. The ways of a single set
 * then limit the lines in flight, and the cycles are proportional to the level's latency. */
double memory_crowded(const struct memory *m, size_t level, double step);
/* Returns the time per line from a level with @latency for lines of a single first-level set with
 * @ways ways. @crowded: time per line of such lines from the second level, whose latency is
 * @second. Pure. */
double memory_single_set(double latency, double second, double crowded, double ways);
/* Returns the cycles per streamed line from level @level beyond the second. The core has @window
 * lines of @streams streams in flight. The result is the latency divided by the lines in flight,
 * including those of the prefetchers. Returns 0 if bandwidth is the limit. Pure. */
double memory_stream_wait(const struct memory *m, size_t level, double window, double streams);
/* Returns the additional cycles per streamed line from level @level if it is written. */
double memory_write_cycles(const struct memory *m, size_t level, enum line_use use);
/* Columns that a loop walks concurrently, @step bytes apart. There is at least one column, and at
 * least one group of columns with the same rows. Columns with the same rows share pages. */
struct walk_pages {
    double step, columns, groups;
};
/* Returns the mean cycles of a page walk for a page after @pages others; 0 if the TLB has its
 * translation. If @walks is NULL, pages are random; otherwise @pages counts lines of @walks. */
double memory_walk(const struct memory *m, double pages, const struct walk_pages *walks);
/* memory_latency returns the mean latency of references with the shares @served, and
 * memory_line_cycles their mean cycles per line. Levels are nested as in
 * lambda = P1 l1 + (1 - P1)(P2 l2 + ...). */
double memory_latency(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
double memory_line_cycles(const struct memory *m, const double served[MEMORY_LEVELS + 1]);
/* Returns the share of the run's time between two uses of a line at @distance, 0 to 1; 0:
 * unknown. */
double ages_at(const struct ages *ages, double distance);
void ages_done(struct ages *ages);

#endif
