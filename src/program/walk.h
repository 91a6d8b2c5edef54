/* Lists the code of a loop in execution order for some iterations, through branches, inner loops
 * and called functions. Only the share of each branch direction is known, so the directions of a
 * branch are distributed evenly over its executions. Equal counts thus yield equal walks. */
#ifndef PORTOLAN_PROGRAM_WALK_H
#define PORTOLAN_PROGRAM_WALK_H

#include "program/code.h"

/* maximum number of iterations of a loop at which branch predictors can predict its end */
#define PREDICTED_TRIPS 24

/* Control flow between the instructions of a unit in one run */
struct unit_flow {
    double *times;                 /* number of executions of each instruction */
    /* per conditional branch: share of executions in which it is taken */
    float *taken;
};

struct program_flow {
    struct unit_flow *units;       /* flow of each unit; NULL for units without code */
    /* per function: index of its first instruction in its unit; UINT32_MAX: no code */
    uint32_t *entries;
};

/* Finds the flow of all units of @c at @run. If the counts of blocks do not determine the edges
 * between them, executions are distributed evenly over edges (iterative proportional fitting,
 * Deming and Stephan 1940). program_flow_done frees @out. */
void program_flow_find(const struct program_code *c, const struct program_run *run,
                       struct program_flow *out);
void program_flow_done(const struct program_code *c, struct program_flow *f);

struct walk_step {
    uint32_t unit, insn;
    const char *calls;             /* borrowed name of the external function that the instruction
                                    * calls; NULL: none */
};

struct code_walk {
    VEC(struct walk_step) steps;
    unsigned turns;                /* number of iterations of the loop */
    bool elsewhere;                /* whether the walk contains other loops or functions */
};

/* Walks loop @loop of @unit. Ends with the first iteration after which the walk has @enough
 * instructions, including library functions. At most @most instructions are walked. An incomplete
 * iteration is discarded. An iteration ends when the first instruction is reached again, even if
 * the loop was left in between. Never takes a branch direction from which no path leads back. The
 * walk ends before a direction with a share below one in PREDICTED_TRIPS, such as the end of a long
 * loop. Its misprediction prevents overlap. Returns false with an empty @out if an iteration is too
 * long or reaches unknown code. vec_done frees @out->steps. */
bool walk_loop(const struct program_code *c, const struct program_flow *f, uint32_t unit,
               uint32_t loop, size_t most, size_t enough, struct code_walk *out);

#endif
