/* What a simulation is asked for and what comes of it. */
#ifndef PORTOLAN_SIMULATE_SIMULATION_H
#define PORTOLAN_SIMULATE_SIMULATION_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"

/* One instruction in one iteration; cycles since the start. */
struct simulated_step {
    int32_t fetch;      /* delivered to the queue in front of rename */
    int32_t issue;      /* renamed */
    /* its first µop goes to a port; for instructions without µops the cycle of rename */
    int32_t dispatch;
    int32_t done;       /* its last result is there */
    int32_t retire;
};

struct simulation {
    /* per iteration; NaN when an instruction waits for ever (facts that contradict each other) on a
     * machine without latencies, and of a block that loads without load_latency */
    double cycles;
    int64_t numerator;      /* cycles = numerator / period when exact */
    /* iterations after which the state repeats; 0: it did not within the limit, and cycles is a
     * mean over the last quarter, or it settled, or one of: */
    unsigned period;
    bool assisted;          /* x87 assists are added to cycles */
    /* cycles is the bound of replayed loads (bounds_replays), above the simulation */
    bool replayed;
    /* cycles is the largest bound, of which the simulation has only a part (pages, fractions of
     * cycles), above the simulation */
    bool bounded;
    /* converged to the largest bound (cycles equals it) without a repeated state; never set with a
     * timeline */
    bool settled;
    unsigned iterations;    /* simulated */
    /* Steady state, per iteration: */
    double busy[PORTS_MAX];         /* cycles that each port is taken */
    /* cycles in which rename moved nothing, by cause */
    double stalls_rob, stalls_scheduler, stalls_front;
    /* Timeline of the first iterations: step [iteration * count + instruction], if requested. */
    struct simulated_step *steps;
    unsigned step_iterations;
};

struct simulate_options {
    unsigned iterations;      /* at most; 0: until the state repeats, within a built-in limit */
    unsigned timeline;        /* iterations to keep steps of; 0: none */
    /* simulate_kernel: bytes that the code is moved from its place, 0 to 63 */
    unsigned moved;
};

void simulation_done(struct simulation *sim);

/* State of an instruction in a cycle, as the timelines show it. */
enum stage {
    STAGE_FETCHED,
    STAGE_QUEUED,
    STAGE_RENAMED,
    STAGE_WAITS,
    STAGE_DISPATCHED,
    STAGE_EXECUTES,
    STAGE_DONE,
    STAGE_RETIRED,
    STAGE_NONE /* not in the machine */
};

/* Any thread. */
enum stage stage_at(const struct simulated_step *step, int32_t cycle);
/* 'F', '.', 'I', '-', 'D', '=', '_', 'R'; ' ' for STAGE_NONE. */
char stage_glyph(enum stage stage);

#endif
