/* Measures the present speed of this CPU for a program: its clock, the share of the core that other
 * tasks leave, lines per time from each memory level, and the system's cost of pages and of
 * starting a process. On a shared host these vary, so they are measured together with the
 * program. */
#ifndef PORTOLAN_PROGRAM_NATIVE_H
#define PORTOLAN_PROGRAM_NATIVE_H

#include "base/err.h"
#include "program/memory.h"
#include "program/native_core.h"

#define NATIVE_SIZES 8
#define NATIVE_WAITS 6
#define NATIVE_WALKS 5
/* pages of the first walk; each walk has twice as many as the previous one */
#define NATIVE_FIRST_WALK 512u
#define NATIVE_FEW_PAGES 128u
#define NATIVE_SOURCE "measured now"   /* source of the facts that native_apply sets */

/* Times of streaming (two streams) and of dependent random accesses over @bytes. */
struct native_level {
    double bytes;
    double read, write;          /* seconds per streamed line */
    double latency;              /* seconds, including address translation */
    /* seconds per independent random access with known addresses (in huge pages if available) */
    double scatter;
};

/* State of lines accessed some time ago in an area larger than the second level. Other tasks
 * replace lines meanwhile. */
struct native_wait {
    double age, latency;         /* seconds; latency NaN: preempted meanwhile */
    /* age and latency of the part accessed last, which was in the second level */
    double waited, second;
};

struct native {
    double clock_hz;
    struct core_share share;
    /* ascending: within the second level, at twice its size, ..., in main memory */
    struct native_level sizes[NATIVE_SIZES];
    size_t count;
    /* area of the second level's size, a power of two, for the share that other tasks leave; bytes
     * 0: not measured */
    struct native_level second;
    /* ascending; latency NaN if no measured area lies between the second level and main memory */
    struct native_wait waits[NATIVE_WAITS];
    /* seconds per line with one line per page, over NATIVE_FIRST_WALK pages and more */
    double walks[NATIVE_WALKS];
    /* seconds per line of NATIVE_FEW_PAGES lines at one page offset, which map to one set of the
     * first level, and of as many in different sets; the second level holds both */
    double crowded, apart;
    double columns;              /* as crowded, for NATIVE_FIRST_WALK lines */
    /* area that is larger than the second level by half; only bytes and read */
    struct native_level past;
    double alone;                /* seconds per line of one stream through the largest area */
};

struct native_probe;
/* Creates a probe for @m, this CPU's machine. NULL with err if memory cannot be allocated. */
struct native_probe *native_probe_new(const struct machine *m, struct err *err);
void native_probe_free(struct native_probe *p);
/* Measures once; takes some 80 ms. One thread. */
void native_probe_look(struct native_probe *p);
/* Stores the median of each quantity over the measurements in @use (NULL: all), at least one. Of
 * two it is the mean. */
void native_probe_result(const struct native_probe *p, const bool *use, struct native *out);
/* Returns whether the measurements in @use differ by at most the relative difference @within. */
bool native_probe_agrees(const struct native_probe *p, const bool *use, double within);
/* Returns whether all @count measurements agree on the time of a line beyond the second level,
 * streamed and by latency. They may differ by the share @within of the smaller. */
bool native_looks_agree(const struct native *looks, size_t count, double within);

/* Sets the measured clock, caches and memory as facts of @m. Keeps the shapes of private caches.
 * The last level gets its size and line lifetime under sharing. */
void native_apply(const struct native *n, struct machine *m);

#endif
