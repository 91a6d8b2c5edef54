/* Measures this CPU's current speed for a program: its clock, the share of the core that other
 * tasks leave, the bandwidth of each memory level, and the system's cost of pages. On a shared host
 * these quantities vary, so they are measured concurrently with the program. */
#ifndef PORTOLAN_PROGRAM_NATIVE_H
#define PORTOLAN_PROGRAM_NATIVE_H

#include "base/err.h"
#include "program/memory.h"
#include "program/native_core.h"

#define NATIVE_SIZES 8
#define NATIVE_WAITS 6
#define NATIVE_WALKS 5
/* number of pages of the first walk; each further walk has twice as many */
#define NATIVE_FIRST_WALK 512u
#define NATIVE_FEW_PAGES 128u
#define NATIVE_CYCLES 3
#define NATIVE_SOURCE "measured now"   /* source of the facts that native_apply sets */

/* Times over an area of @bytes, in seconds: streams (two concurrently) and random accesses */
struct native_level {
    double bytes;
    double read, write;          /* seconds per streamed line */
    double latency;              /* seconds per dependent random access, including address
                                  * translation */
    /* seconds per independent access in columns, including address translation in the last-level
     * TLB */
    double scatter;
    double update; /* seconds per streamed line that is read and written */
};

/* Latency of lines that were accessed some time ago, in an area larger than the second-level cache.
 * During that time, other tasks replace lines. */
struct native_wait {
    double age, latency;         /* seconds; @latency is NaN after a preemption */
    /* age and latency of the part that was accessed last and is in the second-level cache at
     * first */
    double waited, second;
};

struct native {
    double clock_hz;
    struct core_share share;
    /* areas of ascending sizes: within the second-level cache, once to twice its size, ..., in main
     * memory */
    struct native_level sizes[NATIVE_SIZES];
    size_t count;
    /* Area of half to all of the second-level cache's size, a power of two. Its times show how much
     * of the level other tasks leave. If its @bytes are 0, it was not measured. */
    struct native_level second;
    /* waits in ascending order of age; NaN: no area is larger than the second-level cache and
     * smaller than main memory */
    struct native_wait waits[NATIVE_WAITS];
    /* seconds per line with one line per page: for NATIVE_FIRST_WALK pages, then for twice as many
     * each time */
    double walks[NATIVE_WALKS];
    /* Seconds per line of NATIVE_FEW_PAGES lines in the second-level cache. @crowded: all lines at
     * one page offset, and therefore in one set of the first-level cache. @crowded_1k: lines 1 KiB
     * apart. @apart: lines in different sets. */
    double crowded, crowded_1k, apart;
    /* seconds per line of two streams in a loop with a chain: from main memory, and from the
     * first-level cache */
    double chained, chained_near;
    double columns;              /* like @crowded, for NATIVE_FIRST_WALK lines */
    /* Seconds per line of random cycles through areas with native_cycle_by times the bytes of the
     * second-level cache. 0: not measured. */
    double cycles[NATIVE_CYCLES];
    double alone;                /* seconds per line of a single stream through the largest area */
    /* @slow: the same as @alone in a loop of MEMORY_FEW_UOPS µops per line, so that the core has
     * few lines in flight. @slow_near: time of that loop in the first-level cache. 0: not
     * measured. */
    double slow, slow_near;
};

extern const double native_cycle_by[NATIVE_CYCLES];

struct native_probe;
/* Creates a probe for @m, this CPU's machine. Returns NULL with err if memory cannot be
 * allocated. */
struct native_probe *native_probe_new(const struct machine *m, struct err *err);
void native_probe_free(struct native_probe *p);
/* Adds a measurement, which takes about 0.3 s. One thread. */
void native_probe_look(struct native_probe *p);
/* Sets @out to the median of each quantity over the measurements in @use (NULL: all), at least one.
 * The median of an even number of values is the mean of the two middle values. Shares of the core
 * are the reciprocal of the mean time. */
void native_probe_result(const struct native_probe *p, const bool *use, struct native *out);
/* Sets @use to the last measurement and the one nearest to it. Returns their difference
 * (native_looks_nearest). */
double native_probe_nearest(const struct native_probe *p, bool *use);
/* Returns whether all measurements in @use differ by at most @within (native_looks_apart). */
bool native_probe_agrees(const struct native_probe *p, const bool *use, double within);
/* Returns the largest relative difference between two of @count measurements. Compares latency and
 * the time of streamed lines beyond the second-level cache. */
double native_looks_apart(const struct native *looks, size_t count);
/* Sets @use to whether each of @count measurements is the last one, or the one that differs least
 * from it. Returns their difference (native_looks_apart); INFINITY if @count is less than two. */
double native_looks_nearest(const struct native *looks, size_t count, bool *use);
/* Returns whether @n agrees with the sizes of @m's caches, and the caches have ascending latencies.
 * Otherwise returns false with err (ERR_LIMIT), because other programs used the caches during the
 * measurement. */
bool native_is_plausible(const struct native *n, const struct machine *m, struct err *err);

/* Sets the measured clock, caches and memory as facts of @m. Keeps the shapes of private caches.
 * Sets the size of the last level and the lifetime of its lines to those that other tasks leave.
 * Sets no facts of larger levels if fewer than three sizes were measured, or if @m lacks the fact
 * l3_bytes. */
void native_apply(const struct native *n, struct machine *m);
/* Measures the share of the time of page faults that the system counts as user time. Sets it as
 * fact page_fault_user of @m. Takes 1 s. */
void native_apply_faults(struct machine *m);

#endif
