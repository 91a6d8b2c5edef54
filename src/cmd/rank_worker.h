/* Serves rank 0's commands on the other ranks (ranks/ranks.h). */
#ifndef PORTOLAN_CMD_RANK_WORKER_H
#define PORTOLAN_CMD_RANK_WORKER_H

#include "work/farm.h"

/* Rank other than 0, main thread: returns when rank 0 ends. */
void rank_worker_run(void);
/* Rank 0, main thread: the others end. */
void rank_worker_end(void);

/* In the same file as the commands that hand it out. */
extern const struct farm_work kernel_evaluate_farm, forms_scan_farm, program_sweep_farm;

#endif
