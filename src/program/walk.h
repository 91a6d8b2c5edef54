/* The code of a loop in execution order, for some iterations: through the blocks that its branches
 * choose, inner loops, and the called functions of the program. Only the share of each branch
 * direction is known: directions alternate as evenly as their shares allow, so that equal counts
 * give equal walks. */
#ifndef PORTOLAN_PROGRAM_WALK_H
#define PORTOLAN_PROGRAM_WALK_H

#include "program/code.h"

#define PREDICTED_TRIPS 24         /* iterations up to which the end of a loop is predicted */

/* How the instructions of a unit follow each other at one run. */
struct unit_flow {
    double *times;                 /* executions of each instruction */
    /* of each conditional branch, the share of executions in which it is taken */
    float *taken;
};

struct program_flow {
    struct unit_flow *units;       /* those without code have NULLs */
    /* of each function, its unit's instruction that it begins with; UINT32_MAX: it has no code */
    uint32_t *entries;
};

/* Of all units of @c at @run. Between blocks whose counts do not determine the path, ways are used
 * as evenly as the counts allow (iterative proportional fitting, Deming and Stephan 1940).
 * program_flow_done frees. Any thread. */
void program_flow_find(const struct program_code *c, const struct program_run *run,
                       struct program_flow *out);
void program_flow_done(const struct program_code *c, struct program_flow *f);

struct walk_step {
    uint32_t unit, insn;
    const char *calls;             /* a function that is not the program's, borrowed; NULL: none */
};

struct code_walk {
    VEC(struct walk_step) steps;
    unsigned turns;                /* of the loop */
    bool elsewhere;                /* it leads through other loops, or into functions */
};

/* Walks through loop @loop of @unit, at most @most instructions, until whole iterations have
 * @wanted of them, including the library's functions. An iteration is from its first instruction to
 * the same again, also if the loop is left and entered again meanwhile; directions that never lead
 * back are not taken. It ends before a branch direction with a share of less than one in
 * PREDICTED_TRIPS, such as the end of a long loop: the following code waits for its misprediction.
 * False, with nothing in @out, if one iteration is longer or does not end, or leads to unknown
 * code. vec_done frees @out->steps. Any thread. */
bool walk_loop(const struct program_code *c, const struct program_flow *f, uint32_t unit,
               uint32_t loop, size_t most, size_t wanted, struct code_walk *out);

#endif
