/* Predicts the time of a program as the PPT-AMMP paper does. The dependence graph of each block
 * (graphlet) passes once through pipes, and its time is multiplied by the block's executions. A
 * load takes a mean latency that follows from its block's reuse distances. Executions do not
 * overlap in this model, so its times are far too long for loops with overlapping iterations. The
 * accurate model is in steady.h. */
#ifndef PORTOLAN_PROGRAM_AMMP_H
#define PORTOLAN_PROGRAM_AMMP_H

#include "program/steady.h"

/* Finds the pipes of @m for each class of instructions. A class has the ports of a representative
 * form (data/programs/pipes.csv), with its latency and throughput in the machine's mapping. All
 * calls use one pipe, and their cost depends on the function's name. Returns false with err if a
 * form is unknown. Stores the pipes in @kinds. */
bool ammp_pipes(const struct machine *m, struct pipe_kind kinds[OP_CLASSES], struct err *err);
/* Computes the time of @run on pipes @kinds with @memory. @out has one part per block.
 * program_time_done frees @out. */
void ammp_time(const struct program *p, const struct program_run *run,
               const struct pipe_kind kinds[OP_CLASSES], const struct memory *memory,
               struct call_costs *calls, struct program_time *out);

#endif
