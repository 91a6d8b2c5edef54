/* Windows of one experiment: the sequence of runs, the acceptance of windows, and the condition
 * under which the result is settled. Pure code over an abstract pulse, without allocation and
 * system calls, for the sandbox child and for simulated CPUs. */
#ifndef PORTOLAN_MEASURE_WINDOW_H
#define PORTOLAN_MEASURE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Code that a pulse runs: two dependent chains that measure the clock; three probes that contention
 * slows; the measured code. The nop probe fills the front end. The port probe (independent
 * comparisons) fills the front end and the ports. The room probe (distant slow operations) needs
 * the whole reorder buffer. */
enum pulse_code {
    PULSE_CHAIN, PULSE_SECOND_CHAIN, PULSE_PROBE, PULSE_PORTS, PULSE_ROOM, PULSE_ITEM
};

struct pulse {
    /* Runs a loop for @warm + @count iterations. Returns the ticks of the last @count iterations;
     * 0 on failure, with the reason in *@fault. */
    uint64_t (*run)(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                    unsigned *fault);
    uint64_t (*now)(void *self);     /* Returns the time in ticks. */
    void (*rest)(void *self);        /* Sleeps briefly. Called if the core is busy. */
    void *self;
};

/* Results of calibration. Cycles are core cycles per iteration of a loop. */
struct window_rules {
    /* cycles per iteration of the two chains; second_cycles: 0 if the second chain is unusable */
    double chain_cycles, second_cycles;
    /* cycles per iteration of the probes on an idle core; ports_cycles, room_cycles: 0 if
     * unknown */
    double probe_cycles, ports_cycles, room_cycles;
    double overhead;                      /* ticks of an empty run */
    /* largest relative difference between the clock measurements before and after a window */
    double chain_tolerance;
    /* largest relative deviation of a probe from its time on an idle core; 1 or more: no limit */
    double probe_tolerance;
    /* limit of the deviation of the port probe, which varies more on an idle core; 0:
     * probe_tolerance */
    double ports_tolerance;
    /* largest relative difference between the three lowest values */
    double agreement;
    /* lengths of runs in ticks; a run of a probe takes half of probe_ticks */
    double chain_ticks, probe_ticks, item_ticks;
    double patience;                      /* ticks without an idle window after which the wait
                                           * ends */
    /* Number of iterations of the first run, which estimates the number that fills the window; 0:
     * 4. A clock with long ticks needs more iterations. */
    unsigned sizing;
};

/* Limit of waiting for an idle core, shared by consecutive experiments, so that they wait only once
 * if the core is never idle. After that, each experiment gets one attempt, and more attempts while
 * the core is idle. */
struct window_wait {
    uint64_t quiet;      /* time of the last accepted window, or of the start, in ticks */
    uint64_t until;      /* time at which waiting ends, in ticks */
};

enum window_state { WINDOW_SETTLED, WINDOW_UNSETTLED, WINDOW_FAULT, WINDOW_BEATEN };

/* Maximum number of accepted windows. After these, the three lowest values are used regardless of
 * their spread. */
#define WINDOW_VALUES 16

struct window_result {
    enum window_state state;
    unsigned fault;          /* reason of a WINDOW_FAULT state (enum sandbox_fault) */
    double cycles;           /* cycles per iteration; NaN if no window was accepted */
    double spread;           /* relative spread of the values that determined @cycles */
    double clock;            /* cycles per tick in the last accepted window */
    /* unconfirmed cycles per iteration on a busy core, if no window was accepted; NaN: unknown */
    double contended_cycles;
    unsigned accepted, contended, disturbed;   /* number of windows by result */
    /* cycles per iteration of each accepted window, in order */
    float values[WINDOW_VALUES];
    /* for a difference, the cycles of the short and of the long run of each accepted window */
    float shorter[WINDOW_VALUES], longer[WINDOW_VALUES];
};

/* Measures PULSE_ITEM under @rules with @count iterations per run (0: the number that fills the
 * window). Normally subtracts the overhead. If @difference is true, makes a warm-up run, and
 * subtracts the shortest time of runs of half the iterations instead. Both times must then be
 * confirmed, because a disturbed short run makes the difference too small. If the first window
 * takes at least @beat cycles per iteration (within the agreement), the result is WINDOW_BEATEN.
 * @beat INFINITY or NaN: no limit. */
void window_measure(const struct pulse *pulse, const struct window_rules *rules,
                    struct window_wait *wait, bool difference, uint64_t count, double beat,
                    struct window_result *out);
/* Writes the result WINDOW_BEATEN for code that was not run because it cannot be the fastest. */
void window_not_run(struct window_result *out);
/* Returns a wait that begins now and ends after @ticks. */
struct window_wait window_wait_begin(const struct pulse *pulse, double ticks);
/* Sorts @values. Returns the middle of the lowest three, and sets *@spread to their relative
 * spread. With fewer than three values, returns the lowest. @n is at least 1. */
double window_lowest(double *values, unsigned n, double *spread);
/* Sorts the @n @values. Finds the lowest value with enough values at most @width (relative) above
 * it: at least three, and at least @share of all. Isolated lower values come from pairs of runs
 * that were disturbed unequally. Sets *@cycles to the middle of the values in range, and *@spread
 * to their relative spread. Returns false if there is no such value. */
bool window_floor(double *values, unsigned n, double width, double share, double *cycles,
                  double *spread);

#endif
