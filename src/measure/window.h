/* Windows of one experiment: which runs to make, which windows count, when it is settled. Pure
 * logic without allocation and system calls over an abstract pulse: the same code runs in the
 * sandbox child and with a simulated processor. */
#ifndef PORTOLAN_MEASURE_WINDOW_H
#define PORTOLAN_MEASURE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Runs of a pulse: two dependent chains that measure the clock; three probes that contention slows
 * (nops fill the front end; independent comparisons also fill the ports; distant slow operations
 * need the whole reorder buffer); and the measured code. */
enum pulse_code {
    PULSE_CHAIN, PULSE_SECOND_CHAIN, PULSE_PROBE, PULSE_PORTS, PULSE_ROOM, PULSE_ITEM
};

struct pulse {
    /* Runs a loop @warm + @count times and returns the ticks of the last @count; 0 on failure, with
     * the reason in *@fault. */
    uint64_t (*run)(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                    unsigned *fault);
    uint64_t (*now)(void *self);     /* ticks */
    void (*rest)(void *self);        /* waits about a fifth of a millisecond */
    void *self;
};

/* Calibration results. Cycles are core cycles per loop iteration. */
struct window_rules {
    /* per iteration of the chains; second 0: unusable */
    double chain_cycles, second_cycles;
    /* per iteration of the probes on an idle core; the last two 0: unknown */
    double probe_cycles, ports_cycles, room_cycles;
    double overhead;                      /* ticks of an empty run */
    double chain_tolerance;               /* relative: between both clocks of a window */
    /* relative: above and below a probe's idle time; 1 or more: no limit */
    double probe_tolerance;
    /* the same for the port probe, which scatters more on an idle core; 0: as above */
    double ports_tolerance;
    double agreement;                     /* relative: between three values */
    /* length of each run; half of it for a probe */
    double chain_ticks, probe_ticks, item_ticks;
    double patience;                      /* ticks without an idle window before it gives up */
    /* iterations for computing the number that fills the window: 0 for 4, more with coarse ticks */
    unsigned sizing;
};

/* Ticks for waiting for an idle core, shared by consecutive experiments: a core that is never idle
 * costs one wait. Afterwards each experiment still gets one try, and more while idle. */
struct window_wait {
    uint64_t quiet;      /* time of the last counted window, or of the first start */
    uint64_t until;      /* absolute end of waiting */
};

enum window_state { WINDOW_SETTLED, WINDOW_UNSETTLED, WINDOW_FAULT, WINDOW_BEATEN };

/* accepted windows kept; after that many the lowest three count whatever their spread */
#define WINDOW_VALUES 16

struct window_result {
    enum window_state state;
    unsigned fault;          /* when WINDOW_FAULT */
    double cycles;           /* per loop iteration; NaN without an accepted window */
    double spread;           /* relative, of the values used */
    double clock;            /* cycles per tick in the last accepted window */
    /* per iteration on the shared core without an accepted window; NaN: unknown. Unconfirmed */
    double contended_cycles;
    unsigned accepted, contended, disturbed;   /* number of windows by result */
    /* cycles per iteration of accepted windows, in order */
    float values[WINDOW_VALUES];
    /* for differences: cycles of both runs */
    float shorter[WINDOW_VALUES], longer[WINDOW_VALUES];
};

/* Measures PULSE_ITEM under @rules, @count iterations per run (0: fills the window). With
 * @difference a run of half the iterations is subtracted instead of the overhead, and a whole run
 * warms up: least long run minus least short run. Both must be confirmed, since a disturbed short
 * run makes the difference too small. Code whose first window reaches @beat cycles per iteration
 * (within the agreement) ends as WINDOW_BEATEN; INFINITY or NaN: no limit. */
void window_measure(const struct pulse *pulse, const struct window_rules *rules,
                    struct window_wait *wait, bool difference, uint64_t count, double beat,
                    struct window_result *out);
/* A wait that begins now and ends after @ticks. */
/* Answer for code that was not run because it cannot count: WINDOW_BEATEN. */
void window_not_run(struct window_result *out);
struct window_wait window_wait_begin(const struct pulse *pulse, double ticks);
/* Middle of the lowest three of @values (sorted in place) and their relative spread. @n at least
 * 1. */
double window_lowest(double *values, unsigned n, double *spread);
/* Finds the lowest of the @n @values (sorted in place) with a dense neighbourhood: at least three
 * and @share of all within @width above it, relative. False when there is none. Isolated lower
 * values come from two runs with different disturbance. *cycles is the middle of those values,
 * *spread their range. */
bool window_floor(double *values, unsigned n, double width, double share, double *cycles,
                  double *spread);

#endif
