/* Executes rank 0's work on the other ranks (ranks/ranks.h). */
#ifndef PORTOLAN_CMD_RANK_WORKER_H
#define PORTOLAN_CMD_RANK_WORKER_H

#include "work/farm.h"

/* Called by ranks other than 0, on the main thread: returns when rank 0 ends. */
void rank_worker_run(void);
/* Called by rank 0, on the main thread: ends the others. */
void rank_worker_end(void);

/* Defined with the commands that distribute the work. */
extern const struct farm_work kernel_evaluate_farm, forms_scan_farm, program_sweep_farm;

#endif
