/* Clock and idle baseline of this CPU. The only assumption is a latency of one cycle for an
 * addition. */
#ifndef PORTOLAN_MEASURE_CALIBRATE_H
#define PORTOLAN_MEASURE_CALIBRATE_H

#include "measure/baseline.h"
#include "measure/sandbox.h"

struct calibration {
    struct window_rules rules;
    double tick_hz;          /* frequency of the time stamp counter or virtual counter, in Hz */
    /* factor, at least 1, by which runs are longer because ticks are coarse */
    double stretch;
    double clock_hz;         /* core clock during calibration, in Hz */
    /* cycles of a 64-bit multiplication; NaN if not an integer */
    double second_ratio;
    /* idle baseline: nops per cycle on an idle core, the best value ever measured for this CPU */
    double probe_rate;
    /* idle rate of the port probe, in instructions per cycle; 0: unknown */
    double ports_rate;
    /* idle rate of the room probe, in instructions per cycle; 0: unknown */
    double room_rate;
    double seen_rate;        /* best nops per cycle during this calibration */
    /* nops per cycle by the facts of this CPU's machine; NaN: unknown */
    double expected_rate;
    char day[KEPT_DAY];  /* date when the baseline was measured */
    bool busy;               /* the core did not reach the baseline this time */
    /* no measurement found the core certainly idle, so values must be measured again */
    bool doubtful;
    /* Relative noise: 95 % of repeated measurements of a loop differ by less than this from their
     * median. */
    double noise;
    double contention;       /* share of probes that found contention */
    unsigned load_window;    /* load window in bytes with the least time and scatter */
    bool counters;           /* whether the kernel provides a cycle counter */
    /* An emulator runs this process. It does not filter system calls, and its times are not those
     * of a processor. */
    bool unfiltered;
    double look;             /* most seconds for checking a core without baseline */
    int cpu;
};

/* Calibrates in about a third of a second, or up to two seconds more on a possibly busy core
 * without baseline. Reads and improves the stored baseline. Moves a sandbox that is not pinned to
 * the least busy CPU. False with err. */
bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state,
               struct calibration *out, struct err *err);
/* Like calibrate, with at most @look seconds for finding an idle core. @cancelled NULL: uses that
 * of the sandbox. */
bool calibrate_within(struct sandbox *s, double look, bool (*cancelled)(void *state), void *state,
                      struct calibration *out, struct err *err);
/* Lists the CPUs to measure on: those allowed to this process, at most @most, or the one of the
 * sandbox. Returns their number, at least 1. */
size_t calibrate_cpus(const struct sandbox *s, int *out, size_t most);
/* Returns the factor by which runs must be longer at @tick_hz. 10 us should have at least 1,000
 * ticks, so that a tick is 0.1 %. */
double calibrate_stretch(double tick_hz);
/* Returns a description of the source of cycles. */
const char *calibration_method(const struct calibration *c);
/* Returns warnings for these measurements; NULL: none. */
const char *calibration_remark(const struct calibration *c);
/* Returns the lowest of @values (sorted in place) that has two other values within @width above it,
 * as the middle of these. */
double calibrate_floor(double *values, size_t n, double width);

#endif
