/* Executes rank 0's work on the other ranks (ranks/ranks.h). */
#ifndef PORTOLAN_CMD_RANK_WORKER_H
#define PORTOLAN_CMD_RANK_WORKER_H

#include "work/farm.h"

/* Executes work until rank 0 ends. Call it on the main thread of all ranks except 0. */
void rank_worker_run(void);
/* Ends the other ranks. Call it on the main thread of rank 0. */
void rank_worker_end(void);

/* work that ranks execute, defined in the files of the commands that distribute it */
extern const struct farm_work kernel_evaluate_farm, forms_scan_farm, program_sweep_farm;

#endif
