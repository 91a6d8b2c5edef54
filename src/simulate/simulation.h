/* Options and results of a simulation. */
#ifndef PORTOLAN_SIMULATE_SIMULATION_H
#define PORTOLAN_SIMULATE_SIMULATION_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"

/* One instruction in one iteration; cycles since the start. */
struct simulated_step {
    int32_t fetch;      /* delivered to the µop queue */
    int32_t issue;      /* renamed */
    /* its first µop dispatches; for instructions without µops the cycle of rename */
    int32_t dispatch;
    int32_t done;       /* its last result is available */
    int32_t retire;
};

struct simulation {
    /* per iteration; NaN when an instruction waits forever (contradictory facts) on a machine
     * without latencies, or for a block with loads without load_latency */
    double cycles;
    int64_t numerator;      /* cycles = numerator / period when exact */
    /* period of the state in iterations; 0: not found within the limit, and cycles is a mean over
     * the last quarter, or it settled, or one of: */
    unsigned period;
    bool assisted;          /* x87 assists are added to cycles */
    /* cycles is the bound of replayed loads (bounds_replays), which exceeds the simulation */
    bool replayed;
    /* cycles is the largest bound, which the simulation covers only partly (pages, fractions of
     * cycles) and which exceeds it */
    bool bounded;
    /* converged to the largest bound (cycles equals it) without a repeated state; never set with a
     * timeline */
    bool settled;
    unsigned iterations;    /* simulated */
    /* Steady state, per iteration: */
    double busy[PORTS_MAX];         /* cycles per port */
    /* cycles without renamed µops, by cause */
    double stalls_rob, stalls_scheduler, stalls_front;
    /* Timeline of the first iterations: step [iteration * count + instruction], on request. */
    struct simulated_step *steps;
    unsigned step_iterations;
};

struct simulate_options {
    unsigned iterations;      /* limit; 0: until the state repeats, within a built-in limit */
    unsigned timeline;        /* iterations recorded for a timeline; 0: none */
    /* simulate_kernel: bytes by which the code is shifted, 0 to 63 */
    unsigned moved;
};

void simulation_done(struct simulation *sim);

/* State of an instruction in a cycle, for timelines. */
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
