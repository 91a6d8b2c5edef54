/* Current speed of this CPU for a program: its clock, the share of the core that other users leave,
 * lines per time from each level of memory, and the system's costs of pages and of starting. On a
 * shared host these differ from the data sheet, and change; so they are measured together with what
 * they explain. */
#ifndef PORTOLAN_PROGRAM_NATIVE_H
#define PORTOLAN_PROGRAM_NATIVE_H

#include "base/err.h"
#include "program/memory.h"
#include "program/native_core.h"

#define NATIVE_SIZES 8
#define NATIVE_WAITS 6
#define NATIVE_WALKS 5
/* pages; each walk covers twice as many as the one before */
#define NATIVE_FIRST_WALK 512u
#define NATIVE_SOURCE "measured now"   /* of the facts that native_apply puts into a machine */

/* Walking through @bytes in order, two streams at a time, and from one place in them to the next
 * that depends on it. */
struct native_level {
    double bytes;
    double read, write;          /* seconds per line of a stream */
    double latency;              /* seconds, with the translation of addresses */
    /* seconds per place, where places do not depend on each other and their addresses are known (in
     * huge pages, where the system grants them) */
    double scatter;
};

/* Places in an area beyond the second level that were walked through some time ago, by wall-clock
 * time: others replace them meanwhile. */
struct native_wait {
    double age, latency;         /* seconds; NaN: others had this CPU meanwhile */
    /* the same of the part that was walked through last, which lay in the second level */
    double waited, second;
};

struct native {
    double clock_hz;
    struct core_share share;
    /* ascending: within the second level, twice beyond it, and on to main memory */
    struct native_level sizes[NATIVE_SIZES];
    size_t count;
    /* as large as the second level, a power of two: the part that others leave; bytes 0: not
     * measured */
    struct native_level second;
    /* ascending; latency NaN where no area lies between the second level and main memory */
    struct native_wait waits[NATIVE_WAITS];
    /* seconds per line of lines that lie in a page each, of NATIVE_FIRST_WALK pages and more */
    double walks[NATIVE_WALKS];
    /* the same of NATIVE_FIRST_WALK lines at the same place of a page each, which crowd in few sets
     * of the second level */
    double crowded;
    double alone;                /* seconds per line of a single stream through the last of them */
};

struct native_probe;
/* For @m, the machine that this CPU is. NULL with err when there is no memory. */
struct native_probe *native_probe_new(const struct machine *m, struct err *err);
void native_probe_free(struct native_probe *p);
/* Looks once, for some 80 ms. One thread. */
void native_probe_look(struct native_probe *p);
/* The median of each quantity over the looks in @use, at least one; of two the mean. NULL: all. */
void native_probe_result(const struct native_probe *p, const bool *use, struct native *out);
/* Whether the looks that @use names met the same memory. */
bool native_probe_agrees(const struct native_probe *p, const bool *use, double within);
/* Whether all @count looks agree within @within of the lesser on the time of a line beyond the
 * second level: streamed, and by latency. Any thread. */
bool native_looks_agree(const struct native *looks, size_t count, double within);

/* Puts clock, caches and memory as measured into @m's facts; shapes of its own caches stay, except
 * the last one's size and how long it keeps lines, by the share that others leave. */
void native_apply(const struct native *n, struct machine *m);

#endif
