/* Hardware counters (perf_event_open). In virtual machines, counters may be missing or count
 * nothing. Therefore a counter is used only if it counts a known loop correctly. Linux. Any
 * thread. */
#ifndef PORTOLAN_INSITU_COUNTERS_H
#define PORTOLAN_INSITU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

enum counter { COUNTER_CYCLES, COUNTER_BRANCH_MISSES, COUNTER_CACHE_MISSES, COUNTER_KINDS };

/* Source of counters: the system, or a test */
struct counter_source {
    /* Opens a counter for user code of thread @tid (0 for the caller) and of its children. The
     * caller closes it with @done. Returns -errno on failure. */
    int (*open)(void *state, enum counter kind, pid_t tid);
    /* Reads a counter. Scales the count of a counter that ran for part of the time to the whole
     * time. Returns false if it never ran. */
    bool (*read)(void *state, int counter, double *value);
    void (*done)(void *state, int counter);
    void *state;
};

/* Counts of a program in all its threads */
struct hardware_counts {
    double value[COUNTER_KINDS]; /* counts by kind; NaN if not counted */
    /* static reason why the first missing counter is missing; NULL: no counter is missing */
    const char *why;
};

struct counters {
    struct counter_source source;
    bool works[COUNTER_KINDS];
    const char *why; /* value for hardware_counts.why */
    VEC(int) open[COUNTER_KINDS];
};

extern const struct counter_source counters_system;

/* Tests each counter with a known loop. The caller frees @out with counters_done. */
void counters_new(const struct counter_source *source, struct counters *out);
/* Starts counting for thread @tid and its children. */
void counters_add(struct counters *c, pid_t tid);
/* Returns the counts, including those of threads that have exited. */
struct hardware_counts counters_read(const struct counters *c);
void counters_done(struct counters *c);

#endif
