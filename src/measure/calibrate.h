/* Clock and idle baseline of this CPU, by measurement; the only assumption is a latency of one
 * cycle for an addition. */
#ifndef PORTOLAN_MEASURE_CALIBRATE_H
#define PORTOLAN_MEASURE_CALIBRATE_H

#include "measure/baseline.h"
#include "measure/sandbox.h"

struct calibration {
    struct window_rules rules;
    double tick_hz;          /* rate of the time stamp counter, or of the virtual counter */
    double stretch;          /* factor of run lengths for coarse ticks, at least 1 */
    double clock_hz;         /* core clock during calibration */
    /* latency of a 64-bit multiplication; NaN when not an integer */
    double second_ratio;
    /* idle baseline: nops per cycle on an idle core, the best ever measured for this CPU */
    double probe_rate;
    double ports_rate;       /* idle rate of the second probe in instructions per cycle; 0:
                              * unknown */
    double room_rate;        /* of the third probe; 0: unknown */
    double seen_rate;        /* best nops per cycle during calibration */
    /* nops per cycle from the facts of this CPU's machine; NaN: unknown */
    double expected_rate;
    char day[KEPT_DAY];  /* date of the baseline */
    bool busy;               /* the core did not reach it this time */
    /* the core was never certainly idle: values must be measured again */
    bool doubtful;
    /* relative: 95 % of repeated measurements of a loop are within this of their median */
    double noise;
    double contention;       /* share of contended probes */
    unsigned load_window;    /* window in bytes with the least time and scatter of loads */
    bool counters;           /* the kernel provides a cycle counter */
    /* an emulator: system calls are not filtered, and times are not a processor's */
    bool unfiltered;
    double look;             /* seconds of checking an unknown core, at most */
    int cpu;
};

/* Takes about a third of a second, and up to two more on a possibly busy core without baseline.
 * Reads and improves the kept baseline. Moves an unpinned sandbox to the least busy CPU. False with
 * err. */
bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state,
               struct calibration *out, struct err *err);
/* The same with at most @look seconds for finding an idle core. @cancelled NULL: keeps that of the
 * sandbox. */
bool calibrate_within(struct sandbox *s, double look, bool (*cancelled)(void *state), void *state,
                      struct calibration *out, struct err *err);
/* CPUs to measure on: those allowed to this process, at most @most, or that of the sandbox. Returns
 * their number, at least 1. */
size_t calibrate_cpus(const struct sandbox *s, int *out, size_t most);
/* Factor by which runs must be longer at @tick_hz: 10 us should have at least 1,000 ticks, so that
 * one is 0.1 %. */
double calibrate_stretch(double tick_hz);
/* Describes the source of cycles. */
const char *calibration_method(const struct calibration *c);
/* Warnings for these measurements; NULL: none. */
const char *calibration_remark(const struct calibration *c);
/* Returns the lowest of @values (sorted in place) with two others above it within @width, as the
 * middle of these. */
double calibrate_floor(double *values, size_t n, double width);

#endif
