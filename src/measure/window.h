/* Windows of one experiment: the sequence of runs, which windows are accepted, and when the result
 * is settled. Pure logic over an abstract pulse, without allocation and system calls. The same code
 * runs in the sandbox child and with a simulated processor. */
#ifndef PORTOLAN_MEASURE_WINDOW_H
#define PORTOLAN_MEASURE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Runs of a pulse: two dependent chains that measure the clock; three probes that contention slows;
 * the measured code. Nops fill the front end; independent comparisons also fill the ports; distant
 * slow operations need the whole reorder buffer. */
enum pulse_code {
    PULSE_CHAIN, PULSE_SECOND_CHAIN, PULSE_PROBE, PULSE_PORTS, PULSE_ROOM, PULSE_ITEM
};

struct pulse {
    /* Runs a loop @warm + @count times. Returns the ticks of the last @count iterations; 0 on
     * failure, with the reason in *@fault. */
    uint64_t (*run)(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                    unsigned *fault);
    uint64_t (*now)(void *self);     /* returns the present time in ticks */
    void (*rest)(void *self);        /* waits about a fifth of a millisecond */
    void *self;
};

/* Calibration results. Cycles are core cycles per loop iteration. */
struct window_rules {
    /* cycles per iteration of the chains; second 0: unusable */
    double chain_cycles, second_cycles;
    /* cycles per iteration of the probes on an idle core; the last two 0: unknown */
    double probe_cycles, ports_cycles, room_cycles;
    double overhead;                      /* ticks of an empty run */
    /* largest relative difference between the two clock measurements of a window */
    double chain_tolerance;
    /* largest relative deviation from a probe's idle time; 1 or more: no limit */
    double probe_tolerance;
    /* the same limit for the port probe, which scatters more on an idle core; 0: probe_tolerance */
    double ports_tolerance;
    /* largest relative difference between the three values that must agree */
    double agreement;
    /* length of runs; a probe runs for half of it */
    double chain_ticks, probe_ticks, item_ticks;
    double patience;                      /* ticks without an idle window before it gives up */
    /* Iterations of the run that estimates how many fill the window; 0: 4. More are needed with
     * coarse ticks. */
    unsigned sizing;
};

/* Limit of waiting for an idle core, shared by consecutive experiments, so that a core that is
 * never idle costs one wait. Afterwards each experiment still has one attempt, and more while the
 * core is idle. */
struct window_wait {
    uint64_t quiet;      /* time in ticks of the last accepted window, or of the start */
    uint64_t until;      /* time in ticks at which waiting ends */
};

enum window_state { WINDOW_SETTLED, WINDOW_UNSETTLED, WINDOW_FAULT, WINDOW_BEATEN };

/* Most accepted windows. After that many the lowest three count whatever their spread. */
#define WINDOW_VALUES 16

struct window_result {
    enum window_state state;
    unsigned fault;          /* enum sandbox_fault, if the state is WINDOW_FAULT */
    double cycles;           /* cycles per loop iteration; NaN without an accepted window */
    double spread;           /* relative spread of the values from which cycles were computed */
    double clock;            /* cycles per tick in the last accepted window */
    /* unconfirmed cycles per iteration on the shared core if no window was accepted; NaN:
     * unknown */
    double contended_cycles;
    unsigned accepted, contended, disturbed;   /* number of windows by result */
    /* cycles per iteration of accepted windows, in order */
    float values[WINDOW_VALUES];
    /* for differences: cycles of both runs per window */
    float shorter[WINDOW_VALUES], longer[WINDOW_VALUES];
};

/* Measures PULSE_ITEM under @rules with @count iterations per run (0: fills the window).
 * @difference: subtracts a run of half the iterations instead of the overhead, after a whole run as
 * warm-up: least long run minus least short run. Both must be confirmed, because a disturbed short
 * run makes the difference too small. Code whose first window reaches @beat cycles per iteration
 * (within the agreement) ends as WINDOW_BEATEN; INFINITY or NaN: no limit. */
void window_measure(const struct pulse *pulse, const struct window_rules *rules,
                    struct window_wait *wait, bool difference, uint64_t count, double beat,
                    struct window_result *out);
/* Returns a wait that begins now and ends after @ticks. */
/* Writes the result WINDOW_BEATEN for code that was not run because it cannot be the fastest. */
void window_not_run(struct window_result *out);
struct window_wait window_wait_begin(const struct pulse *pulse, double ticks);
/* Returns the middle of the lowest three of @values (sorted in place), and their relative spread.
 * @n is at least 1. */
double window_lowest(double *values, unsigned n, double *spread);
/* Finds the lowest of the @n @values (sorted in place) with at least three values, and @share of
 * all, within relative @width above it. False if there is none. Isolated lower values result from
 * two runs with different disturbance. *@cycles: middle of those values; *@spread: their range. */
bool window_floor(double *values, unsigned n, double width, double share, double *cycles,
                  double *spread);

#endif
