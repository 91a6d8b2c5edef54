/* Time of a program on a machine: its parts as loops in the steady state, and the costs of misses,
 * calls and loop ends */
#ifndef PORTOLAN_PROGRAM_STEADY_H
#define PORTOLAN_PROGRAM_STEADY_H

#include "analysis/bounds.h"
#include "program/calls.h"
#include "program/code.h"
#include "program/memory.h"
#include "program/turns.h"

enum part_limit { LIMIT_CORE, LIMIT_MISSES };

struct part_time {
    /* first block of the part with as many executions as the part */
    uint32_t block;
    uint32_t unit, loop, line;     /* @loop: UINT32_MAX: the part is in no loop */
    bool repeats;
    double executions;
    size_t insns;
    double core;                   /* cycles per execution without misses */
    /* cycles of @core for issue, front end and retirement */
    double slots;
    enum bound_kind bottleneck;
    /* cycles over all executions of streamed lines (@stream), and of misses whose latency the core
     * does not hide (@latency) */
    double stream, latency;
    /* minimum cycles over all executions of misses outside streams, with the maximum number of
     * lines in flight */
    double taken;
    double far;                    /* cycles of @stream for lines from main memory */
    double ends;                   /* cycles over all executions of mispredicted loop ends */
    /* number of mispredicted executions of data-dependent branches, and their cycles */
    double mispredicted, branches;
    /* cycles over all executions in external functions */
    double calls;
    /* cycles of @calls that overlap with chains and dividers of the part's other code */
    double within;
    double cycles;                 /* total cycles of the part */
    /* whether the machine lacks ports of a form; @core is then a lower bound */
    bool unknown;
    /* whether some of the machine's data of the part's forms are estimates */
    bool estimate;
    /* whether the part is a loop only in the machine code, as in inline assembly; its iterations
     * are then unknown */
    bool uncounted;
};

struct program_time {
    VEC(struct part_time) parts;   /* parts in descending order of cycles */
    double cycles;                 /* cycles of all parts */
    /* @faults: user time of page faults, in seconds, which @seconds includes */
    double seconds, faults;
    /* number of references that miss in each level, first level first */
    double misses[MEMORY_LEVELS + 1];
    double references;
    /* pipe model: busy cycles of each kind of pipe */
    double busy[OP_CLASSES];
    /* share of cycles in parts with lower bounds, and in parts with estimates */
    double least, estimate;
    size_t unknown_calls;          /* number of executed calls whose cost is unknown */
    char *unknown_call;            /* name of a called function of unknown cost; NULL: none */
};

/* Computes the time of @run, measured or predicted, on machine @m with its @memory. @walks: walks
 * of the run. @calls NULL: calls have no cost. @share: share of the core. program_time_done frees
 * @out. */
void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out);
/* Returns the name of the largest term of the part's time: "misses", "lines streamed", "calls", or
 * the bound that limits the core. */
const char *part_limit_name(const struct part_time *part);
/* Returns the time of @part, which code_parts_find found for the same run; NULL: none. */
const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part);
void program_time_done(struct program_time *t);

#endif
