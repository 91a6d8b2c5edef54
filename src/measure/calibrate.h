/* Clock and idle baseline of a machine, measured on the machine itself; the only assumption is that
 * a dependent add takes one cycle. */
#ifndef PORTOLAN_MEASURE_CALIBRATE_H
#define PORTOLAN_MEASURE_CALIBRATE_H

#include "measure/baseline.h"
#include "measure/sandbox.h"

struct calibration {
    struct window_rules rules;
    double tick_hz;          /* of the time stamp counter, or the processor's virtual counter */
    double stretch;          /* 1, or how much longer runs are because one tick is long */
    double clock_hz;         /* core clock while calibrating */
    /* cycles of a dependent 64-bit multiplication; NaN when it is no whole number */
    double second_ratio;
    /* nops per cycle when quiet: the idle baseline, the best that was ever seen of such a CPU */
    double probe_rate;
    double ports_rate;       /* instructions per cycle of the second probe then; 0: not known */
    double room_rate;        /* of the third probe; 0: not known */
    double seen_rate;        /* nops per cycle while calibrating, at best */
    /* nops per cycle by the facts of the machine that fits this CPU; NaN: not known */
    double expected_rate;
    char day[KEPT_DAY];  /* that the baseline was seen */
    bool busy;               /* the core did not reach it now */
    /* it was never seen quiet for certain: values taken now are to be measured again */
    bool doubtful;
    /* relative: 95 % of repeated measurements of one loop lie this close to their median */
    double noise;
    double contention;       /* fraction of probes that others slowed */
    unsigned load_window;    /* bytes that loads step through with the least time and scatter */
    bool counters;           /* the kernel gives a cycle counter */
    /* an emulator: system calls of the code are not refused, and times are not a processor's */
    bool unfiltered;
    double look;             /* seconds at most for a core of which nothing is known */
    int cpu;
};

/* About a third of a second; up to two more on a core that may be busy and of which nothing is
 * known. Reads and improves what is kept of such CPUs. A sandbox that may use any CPU is moved to
 * the quietest. False with err. */
bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state,
               struct calibration *out, struct err *err);
/* The same with at most @look seconds to find such a core. @cancelled NULL: the sandbox keeps its
 * own. */
bool calibrate_within(struct sandbox *s, double look, bool (*cancelled)(void *state), void *state,
                      struct calibration *out, struct err *err);
/* The CPUs that may be measured on: those this process may use, at most @most of them, or the one
 * of the sandbox. Returns how many, at least 1. */
size_t calibrate_cpus(const struct sandbox *s, int *out, size_t most);
/* How much longer than usual runs must be when there are @tick_hz ticks a second: 10 us have 1,000
 * ticks or more, so that one is a tenth of a percent. Any thread. */
double calibrate_stretch(double tick_hz);
/* Source of cycles, in words. */
const char *calibration_method(const struct calibration *c);
/* Warnings about these measurements; NULL: none. */
const char *calibration_remark(const struct calibration *c);
/* The value that the lowest cluster of @values (sorted in place) stands around: the least that two
 * others follow within @width. */
double calibrate_floor(double *values, size_t n, double width);

#endif
