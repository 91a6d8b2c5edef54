/* Options and results of a simulation. */
#ifndef PORTOLAN_SIMULATE_SIMULATION_H
#define PORTOLAN_SIMULATE_SIMULATION_H

#include "analysis/bounds.h"
#include "analysis/kernel.h"

/* Cycles of an instruction in one iteration, counted from the start of the simulation. */
struct simulated_step {
    int32_t fetch;      /* delivery to the µop queue */
    int32_t issue;      /* rename */
    /* cycle of the first µop's dispatch, or of rename if there is no µop */
    int32_t dispatch;
    int32_t done;       /* cycle in which the last result is available */
    int32_t retire;
};

/* Causes of stalls at rename: no µops from the front end, or a full buffer. */
enum stall {
    STALL_FRONT, STALL_REORDER, STALL_SCHEDULER, STALL_LOADS, STALL_STORES, STALL_CAUSES
};

struct simulation {
    /* cycles per iteration. NaN if an instruction waits forever (contradictory facts), if the
     * machine has no latencies, or if the block has loads and load_latency is missing */
    double cycles;
    int64_t numerator;      /* cycles is exactly numerator / period; valid if period > 0 */
    /* period of the state in iterations. 0 if no state repeated: cycles is then a mean over the
     * last quarter, unless a flag below is set */
    unsigned period;
    bool assisted;          /* cycles includes x87 assists */
    /* cycles is the bound of replayed loads (bounds_replays), because the simulation
     * resulted in fewer */
    bool replayed;
    /* cycles is the largest bound, because the simulation models this bound only in part (pages,
     * fractions of cycles) and resulted in fewer cycles */
    bool bounded;
    /* the loop settled at the largest bound without a repeated state, and cycles equals this bound;
     * never set with a timeline */
    bool settled;
    unsigned iterations;    /* number of simulated iterations */
    /* Values per iteration in the steady state. */
    double busy[PORTS_MAX];         /* busy cycles per port */
    double stalls[STALL_CAUSES];    /* cycles in which rename was stalled, by cause */
    /* Timeline of the first iterations, on request. The step of an instruction is [iteration *
     * count + instruction]. */
    struct simulated_step *steps;
    unsigned step_iterations;
};

struct simulate_options {
    unsigned iterations;      /* limit of iterations; 0 to wait until the state repeats */
    unsigned timeline;        /* number of iterations to record for a timeline */
    /* only for simulate_kernel: bytes by which the code is moved, 0 to 63 */
    unsigned moved;
};

void simulation_done(struct simulation *sim);

/* State of an instruction in a cycle of a timeline. */
enum stage {
    STAGE_FETCHED,
    STAGE_QUEUED,
    STAGE_RENAMED,
    STAGE_WAITS,
    STAGE_DISPATCHED,
    STAGE_EXECUTES,
    STAGE_DONE,
    STAGE_RETIRED,
    STAGE_NONE /* not in the pipeline */
};

/* Returns the state of an instruction in @cycle. Any thread. */
enum stage stage_at(const struct simulated_step *step, int32_t cycle);
/* Returns the character of @stage: 'F', '.', 'I', '-', 'D', '=', '_', 'R', or ' ' for
 * STAGE_NONE. */
char stage_glyph(enum stage stage);

#endif
