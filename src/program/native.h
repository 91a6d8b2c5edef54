/* Measures this CPU's current speed for a program: its clock, the share of the core that other
 * users leave, lines per time from each memory level, and the system's cost of pages and of
 * starting. On a shared host these change, so they are measured together with the program. */
#ifndef PORTOLAN_PROGRAM_NATIVE_H
#define PORTOLAN_PROGRAM_NATIVE_H

#include "base/err.h"
#include "program/memory.h"
#include "program/native_core.h"

#define NATIVE_SIZES 8
#define NATIVE_WAITS 6
#define NATIVE_WALKS 5
/* pages; each walk has twice the previous number */
#define NATIVE_FIRST_WALK 512u
#define NATIVE_SOURCE "measured now"   /* source of the facts that native_apply sets */

/* Streaming and dependent random access over @bytes, two streams at a time. */
struct native_level {
    double bytes;
    double read, write;          /* seconds per streamed line */
    double latency;              /* seconds, including address translation */
    /* seconds per independent random access with known addresses (in huge pages where available) */
    double scatter;
};

/* Lines in an area beyond the second level that were accessed some time ago: other users replace
 * them meanwhile. */
struct native_wait {
    double age, latency;         /* seconds; NaN: preempted meanwhile */
    /* the same for the part accessed last, which was in the second level */
    double waited, second;
};

struct native {
    double clock_hz;
    struct core_share share;
    /* ascending: within the second level, at twice its size, and on to main memory */
    struct native_level sizes[NATIVE_SIZES];
    size_t count;
    /* area of the second level's size, a power of two: shows the share that other users leave;
     * bytes 0: not measured */
    struct native_level second;
    /* ascending; latency NaN where no area lies between the second level and main memory */
    struct native_wait waits[NATIVE_WAITS];
    /* seconds per line for one line per page, over NATIVE_FIRST_WALK pages and more */
    double walks[NATIVE_WALKS];
    /* the same for NATIVE_FIRST_WALK lines at the same page offset, which use few sets of the
     * second level */
    double crowded;
    double alone;                /* seconds per line of a single stream through the largest area */
};

struct native_probe;
/* Creates a probe for @m, this CPU's machine. NULL with err when there is no memory. */
struct native_probe *native_probe_new(const struct machine *m, struct err *err);
void native_probe_free(struct native_probe *p);
/* Measures once, for some 80 ms. One thread. */
void native_probe_look(struct native_probe *p);
/* Median of each quantity over the measurements in @use, at least one; for two the mean. NULL:
 * all. */
void native_probe_result(const struct native_probe *p, const bool *use, struct native *out);
/* Returns whether the measurements in @use agree. */
bool native_probe_agrees(const struct native_probe *p, const bool *use, double within);
/* Returns whether all @count measurements agree within @within of the lesser on the time of a line
 * beyond the second level: streamed, and by latency. */
bool native_looks_agree(const struct native *looks, size_t count, double within);

/* Writes the measured clock, caches and memory into @m's facts. Shapes of private caches are kept;
 * the last level gets its size and line lifetime under sharing. */
void native_apply(const struct native *n, struct machine *m);

#endif
