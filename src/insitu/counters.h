/* Hardware counters (perf_event_open), where the system has them. Each is trusted only after it has
 * counted a known loop: virtual machines lack them, or count nothing. Linux, any thread. */
#ifndef PORTOLAN_INSITU_COUNTERS_H
#define PORTOLAN_INSITU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

enum counter { COUNTER_CYCLES, COUNTER_BRANCH_MISSES, COUNTER_CACHE_MISSES, COUNTER_KINDS };

/* Where counts come from: the system, or a test. */
struct counter_source {
    /* Opens a counter of the user's code of thread @tid (0: the caller) and of what it starts. The
     * caller closes it by done. -errno on failure. */
    int (*open)(void *state, enum counter kind, pid_t tid);
    /* Reads it, scaled up where it did not run all the time. False: it never ran. */
    bool (*read)(void *state, int counter, double *value);
    void (*done)(void *state, int counter);
    void *state;
};

/* Counts of a program. */
struct hardware_counts {
    double value[COUNTER_KINDS]; /* NaN: not counted */
    const char *why; /* the first that was not counted: the reason; static; NULL: none */
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
/* Counts thread @tid and all that it starts from now on. */
void counters_add(struct counters *c, pid_t tid);
/* Counts so far, including those of threads that have ended. */
struct hardware_counts counters_read(const struct counters *c);
void counters_done(struct counters *c);

#endif
