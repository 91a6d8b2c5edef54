/* The paper's time of a program (PPT-AMMP): every block's graphlet through pipes once, loads at the
 * effective latency of the block's own reuse distances, times the block's executions. Blocks do not
 * overlap and nothing is carried from one execution to the next, so it is slower than the program
 * by far where loops overlap; steady.h is the model that holds. */
#ifndef PORTOLAN_PROGRAM_AMMP_H
#define PORTOLAN_PROGRAM_AMMP_H

#include "program/steady.h"

/* Pipes of @m for each class of instructions: as many as the ports of a representative form
 * (data/programs/pipes.csv), with its latency and throughput in the machine's mapping. Calls get
 * one pipe, and their cost by name. False with err when a form is unknown. Any thread. */
bool ammp_pipes(const struct machine *m, struct pipe_kind kinds[OP_CLASSES], struct err *err);
/* @run on these pipes with @memory; parts of @out are blocks. program_time_done frees @out. Any
 * thread. */
void ammp_time(const struct program *p, const struct program_run *run,
               const struct pipe_kind kinds[OP_CLASSES], const struct memory *memory,
               struct call_costs *calls, struct program_time *out);

#endif
