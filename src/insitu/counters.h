/* Hardware counters (perf_event_open), if available. Each is used only after it has counted a known
 * loop correctly: virtual machines may lack them, or count nothing. Linux, any thread. */
#ifndef PORTOLAN_INSITU_COUNTERS_H
#define PORTOLAN_INSITU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

enum counter { COUNTER_CYCLES, COUNTER_BRANCH_MISSES, COUNTER_CACHE_MISSES, COUNTER_KINDS };

/* Source of counts: the system, or a test. */
struct counter_source {
    /* Opens a counter for user code of thread @tid (0: the caller) and its children. The caller
     * closes it by done. -errno on failure. */
    int (*open)(void *state, enum counter kind, pid_t tid);
    /* Reads it, scaled by its running time. False: it never ran. */
    bool (*read)(void *state, int counter, double *value);
    void (*done)(void *state, int counter);
    void *state;
};

/* Counts of a program. */
struct hardware_counts {
    double value[COUNTER_KINDS]; /* NaN: not counted */
    const char *why; /* reason for the first missing counter; static; NULL: none */
};

struct counters {
    struct counter_source source;
    bool works[COUNTER_KINDS];
    const char *why; /* as in struct hardware_counts */
    VEC(int) open[COUNTER_KINDS];
};

extern const struct counter_source counters_system;

/* Tries each counter on a known loop. counters_done frees @out. */
void counters_new(const struct counter_source *source, struct counters *out);
/* Counts thread @tid and its children from now on. */
void counters_add(struct counters *c, pid_t tid);
/* Reads counts, including those of ended threads. */
struct hardware_counts counters_read(const struct counters *c);
void counters_done(struct counters *c);

#endif
