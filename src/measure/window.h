/* One experiment's windows: which runs to make, which windows count, when it is settled. Pure logic
 * over a pulse; no allocation, no system calls: the same code runs in the sandbox child and over a
 * simulated processor. */
#ifndef PORTOLAN_MEASURE_WINDOW_H
#define PORTOLAN_MEASURE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Runs of a pulse: two dependent chains that measure the clock, three probes that contention slows
 * (nops, which fill the front end; independent comparisons, which also fill the ports; slow
 * operations far apart, which need the whole reorder buffer), and the measured code. */
enum pulse_code {
    PULSE_CHAIN, PULSE_SECOND_CHAIN, PULSE_PROBE, PULSE_PORTS, PULSE_ROOM, PULSE_ITEM
};

struct pulse {
    /* Runs a loop @warm + @count times and returns the ticks of the last @count; 0 when it failed,
     * with the reason in *@fault. */
    uint64_t (*run)(void *self, enum pulse_code code, uint64_t warm, uint64_t count,
                    unsigned *fault);
    uint64_t (*now)(void *self);     /* ticks */
    void (*rest)(void *self);        /* a fifth of a millisecond or so passes */
    void *self;
};

/* Results of calibration. Cycles are core cycles per loop iteration. */
struct window_rules {
    /* per iteration of the chains; second 0: there is none that agrees */
    double chain_cycles, second_cycles;
    /* per iteration of the probes when the core is quiet; the last two 0: not known */
    double probe_cycles, ports_cycles, room_cycles;
    double overhead;                      /* ticks of a run of no iterations */
    double chain_tolerance;               /* relative: the two clocks of a window */
    /* relative: above and below the probes' own times; 1 or more: no limit */
    double probe_tolerance;
    /* the same of the probe for ports, whose times differ more on an idle core; 0: no other */
    double ports_tolerance;
    double agreement;                     /* relative: of three values */
    /* how long each is run; a probe gets half of its */
    double chain_ticks, probe_ticks, item_ticks;
    double patience;                      /* ticks without a quiet window after which it gives up */
    /* iterations from which the number that fills the window is computed: 0 for 4, more with coarse
     * ticks */
    unsigned sizing;
};

/* Ticks that may be spent waiting for a quiet core, shared by experiments in sequence: a core that
 * is never quiet costs one wait, not one each. After it is used up each still gets one try, and
 * further ones while quiet. */
struct window_wait {
    uint64_t quiet;      /* when a window last counted, or the first one began */
    uint64_t until;      /* when waiting ends, whatever comes */
};

enum window_state { WINDOW_SETTLED, WINDOW_UNSETTLED, WINDOW_FAULT, WINDOW_BEATEN };

/* accepted windows kept; after that many the lowest three stand whatever their spread */
#define WINDOW_VALUES 16

struct window_result {
    enum window_state state;
    unsigned fault;          /* when WINDOW_FAULT */
    double cycles;           /* per loop iteration; NaN without an accepted window */
    double spread;           /* relative, of the values it rests on */
    double clock;            /* cycles per tick in the last accepted window */
    /* per loop iteration on the shared core, when no window was accepted; NaN: unknown. Not
     * confirmed */
    double contended_cycles;
    unsigned accepted, contended, disturbed;   /* windows by result */
    /* cycles per loop iteration of the accepted ones, in order */
    float values[WINDOW_VALUES];
    /* of differences: cycles of the two runs, which together make the value */
    float shorter[WINDOW_VALUES], longer[WINDOW_VALUES];
};

/* Measures PULSE_ITEM under @rules, @count iterations a run (0: as many as fill the window). With
 * @difference half as many are run as well and subtracted instead of the overhead, and a whole run
 * warms up: the least of the long runs less the least of the short ones. Each must be confirmed by
 * others, since a disturbed short run makes a difference too small. Code that takes @beat cycles
 * per iteration or more (to within the agreement) in its first window is not measured further:
 * WINDOW_BEATEN; INFINITY or NaN: it is. Any thread. */
void window_measure(const struct pulse *pulse, const struct window_rules *rules,
                    struct window_wait *wait, bool difference, uint64_t count, double beat,
                    struct window_result *out);
/* A wait that begins now and ends after @ticks. */
/* Answer for code that was not run, since it could not count: WINDOW_BEATEN. */
void window_not_run(struct window_result *out);
struct window_wait window_wait_begin(const struct pulse *pulse, double ticks);
/* Middle of the lowest three of @values (sorted in place) and their relative spread. @n at least
 * 1. */
double window_lowest(double *values, unsigned n, double *spread);
/* The lowest of the @n @values (sorted in place) with a dense neighbourhood: three at least and
 * @share of all within @width above it, relative. False when there is none. A floor reached by
 * chance has few values near it; single lower values come from two runs of different disturbance.
 * *cycles is the middle of those values, *spread their range. */
bool window_floor(double *values, unsigned n, double width, double share, double *cycles,
                  double *spread);

#endif
