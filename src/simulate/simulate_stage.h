/* Where the simulator had an instruction in a cycle, as the timelines show it. */
#ifndef PORTOLAN_SIMULATE_SIMULATE_STAGE_H
#define PORTOLAN_SIMULATE_SIMULATE_STAGE_H

#include "simulate/simulate.h"

enum stage { STAGE_FETCHED, STAGE_QUEUED, STAGE_RENAMED, STAGE_WAITS, STAGE_DISPATCHED, STAGE_EXECUTES, STAGE_DONE, STAGE_RETIRED, STAGE_NONE /* not in the machine */ };

/* Any thread. */
enum stage stage_at(const struct simulated_step *step, int32_t cycle);
/* 'F', '.', 'I', '-', 'D', '=', '_', 'R'; ' ' for STAGE_NONE. */
char stage_glyph(enum stage stage);

#endif
