/* The paper's time of a program (PPT-AMMP). Each block's graphlet runs through pipes once, with
 * loads at the effective latency of the block's reuse distances, times the block's executions.
 * Executions of blocks do not overlap, so overlapping loops are predicted far too slow. steady.h
 * has the accurate model. */
#ifndef PORTOLAN_PROGRAM_AMMP_H
#define PORTOLAN_PROGRAM_AMMP_H

#include "program/steady.h"

/* Finds the pipes of @m for each class of instructions: the ports of a representative form
 * (data/programs/pipes.csv), with its latency and throughput in the machine's mapping. Calls get
 * one pipe, and their cost by name. False with err when a form is unknown. */
bool ammp_pipes(const struct machine *m, struct pipe_kind kinds[OP_CLASSES], struct err *err);
/* Computes the time of @run on these pipes with @memory; parts of @out are blocks.
 * program_time_done frees @out. */
void ammp_time(const struct program *p, const struct program_run *run,
               const struct pipe_kind kinds[OP_CLASSES], const struct memory *memory,
               struct call_costs *calls, struct program_time *out);

#endif
