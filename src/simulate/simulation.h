/* Options and results of a simulation. */
#ifndef PORTOLAN_SIMULATE_SIMULATION_H
#define PORTOLAN_SIMULATE_SIMULATION_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"

/* Cycles of the events of an instruction in one iteration, counted from the start of the
 * simulation */
struct simulated_step {
    int32_t fetch;      /* cycle of delivery to the µop queue */
    int32_t issue;      /* cycle of rename */
    /* cycle of the first µop's dispatch, or of rename if there is no µop */
    int32_t dispatch;
    int32_t done;       /* cycle in which the last result is available */
    int32_t retire;
};

/* causes of stalls at rename: no µops from the front end or an instruction that blocks rename
 * (STALL_FRONT), or a full buffer */
enum stall {
    STALL_FRONT, STALL_REORDER, STALL_SCHEDULER, STALL_LOADS, STALL_STORES, STALL_CAUSES
};

struct simulation {
    /* Cycles per iteration. NaN if an instruction waits forever because facts contradict each
     * other, or if latencies are missing (with loads also load_latency). */
    double cycles;
    int64_t numerator;      /* numerator of cycles: if period > 0, cycles is exactly numerator /
                             * period */
    /* Iterations after which the state repeats. 0: the state did not repeat; @cycles is then the
     * mean of the last quarter, unless a flag below is set. */
    unsigned period;
    bool entire;            /* whether cycles is the mean of all iterations, because the last
                             * quarter did not begin */
    bool assisted;          /* whether cycles includes x87 assists */
    /* whether cycles is the bound of replayed loads (bounds_replays), because the simulated cycles
     * were fewer */
    bool replayed;
    /* whether cycles is the largest bound, because the simulated cycles were fewer. The simulation
     * omits parts of this bound, such as pages and fractions of cycles. */
    bool bounded;
    /* whether the loop settled at the largest bound without a repeated state; cycles then equals
     * this bound. Never set with a timeline. */
    bool settled;
    unsigned iterations;    /* number of simulated iterations */
    /* values per iteration in the steady state */
    double busy[PORTS_MAX];         /* busy cycles per port */
    double stalls[STALL_CAUSES];    /* cycles in which rename was stalled, by cause */
    /* steps of the first iterations, if they were requested; the index is iteration * count +
     * instruction */
    struct simulated_step *steps;
    unsigned step_iterations;
};

struct simulate_options {
    unsigned iterations;      /* limit of iterations; 0: until the state repeats */
    unsigned timeline;        /* number of iterations to record for a timeline */
    /* bytes by which simulate_kernel moves the code, 0 to 63 */
    unsigned moved;
};

void simulation_done(struct simulation *sim);

/* State of an instruction in a cycle of a timeline */
enum stage {
    STAGE_FETCHED,
    STAGE_QUEUED,
    STAGE_RENAMED,
    STAGE_WAITS,
    STAGE_DISPATCHED,
    STAGE_EXECUTES,
    STAGE_DONE,
    STAGE_RETIRED,
    STAGE_NONE /* the instruction is not in the pipeline */
};

/* Returns the state of an instruction in @cycle. Any thread. */
enum stage stage_at(const struct simulated_step *step, int32_t cycle);
/* Returns the character of @stage, ' ' for STAGE_NONE. */
char stage_glyph(enum stage stage);

#endif
