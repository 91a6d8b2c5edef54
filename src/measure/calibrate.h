/* Measures the clock and the idle baseline of this CPU. Assumes only that an addition has a
 * latency of one cycle. */
#ifndef PORTOLAN_MEASURE_CALIBRATE_H
#define PORTOLAN_MEASURE_CALIBRATE_H

#include "measure/baseline.h"
#include "measure/sandbox.h"

struct calibration {
    struct window_rules rules;
    double tick_hz;          /* frequency of the time stamp counter or virtual counter in Hz */
    /* factor (at least 1) of the length of runs, for time stamp counters with coarse ticks */
    double stretch;
    double clock_hz;         /* core clock during calibration, in Hz */
    /* latency of a 64-bit multiplication in cycles; NaN if not an integer */
    double second_ratio;
    /* nops per cycle on an idle core: the best value ever measured on this CPU */
    double probe_rate;
    /* instructions per cycle of the port probe on an idle core; 0: unknown */
    double ports_rate;
    /* instructions per cycle of the room probe on an idle core; 0: unknown */
    double room_rate;
    double seen_rate;        /* best nops per cycle during this calibration */
    /* nops per cycle of an idle core according to the facts of its machine; NaN: unknown */
    double expected_rate;
    char day[KEPT_DAY];  /* date when the baseline was measured */
    bool busy;               /* whether the core did not reach the baseline during this
                              * calibration */
    /* whether no measurement certainly found an idle core; values must then be measured again */
    bool doubtful;
    /* Relative noise: 95 % of repeated measurements of a loop differ from their median by less than
     * this share of the median. */
    double noise;
    double contention;       /* share of the rounds with contention */
    unsigned load_window;    /* load window in bytes with the least time and scatter */
    bool counters;           /* whether the kernel provides a cycle counter */
    /* Whether an emulator runs this process. An emulator does not filter system calls, and its
     * times are not those of a processor. */
    bool unfiltered;
    /* maximum seconds of the search for an idle core if there is no baseline */
    double look;
    int cpu;
};

/* Calibrates in about a third of a second. Takes up to two seconds longer if there is no baseline
 * and the core may be busy. Reads the stored baseline, and replaces it if the new one is faster.
 * Moves an unpinned sandbox to the least busy CPU. Returns false with err. */
bool calibrate(struct sandbox *s, bool (*cancelled)(void *state), void *state,
               struct calibration *out, struct err *err);
/* Calibrates like calibrate, but searches for an idle core for at most @look seconds. @cancelled
 * NULL: uses the sandbox's default function. Otherwise the sandbox has no default function
 * afterwards. */
bool calibrate_within(struct sandbox *s, double look, bool (*cancelled)(void *state), void *state,
                      struct calibration *out, struct err *err);
/* Lists at most @most CPUs to measure on: those allowed to this process, or the only CPU of a
 * pinned sandbox. Returns their number, at least 1. Stores the CPUs in @out. */
size_t calibrate_cpus(const struct sandbox *s, int *out, size_t most);
/* Returns the factor of the length of runs for a clock of @tick_hz. 10 µs must have at least 1,000
 * ticks: one tick is then at most 0.1 % of a run. */
double calibrate_stretch(double tick_hz);
/* Returns a description of how cycles are measured. */
const char *calibration_method(const struct calibration *c);
/* Returns warnings about measurements with this calibration; NULL: none. */
const char *calibration_remark(const struct calibration *c);
/* Returns the middle one of the three lowest neighbouring values that differ by at most @width
 * (relative). Returns the median of all values if no three values are so close. Sorts @values. */
double calibrate_floor(double *values, size_t n, double width);

#endif
