/* Time of a program on a machine. Its parts are analysed as loops in the steady state; the costs of
 * misses, calls and loop ends are added. */
#ifndef PORTOLAN_PROGRAM_STEADY_H
#define PORTOLAN_PROGRAM_STEADY_H

#include "analysis/bounds.h"
#include "program/calls.h"
#include "program/code.h"
#include "program/memory.h"
#include "program/turns.h"

enum part_limit { LIMIT_CORE, LIMIT_MISSES };

struct part_time {
    /* first block of the part whose executions equal those of the part */
    uint32_t block;
    uint32_t unit, loop, line;     /* @loop UINT32_MAX: the part is in no loop */
    bool repeats;
    double executions;
    size_t insns;
    double core;                   /* cycles per execution without misses */
    /* part of @core for issue, front end and retirement */
    double slots;
    enum bound_kind bottleneck;
    /* Cycles over all executions for streamed lines (@stream), and for misses whose latency the
     * core does not hide (@latency). */
    double stream, latency;
    /* minimum cycles over all executions for misses outside streams, with the maximum of lines in
     * flight */
    double taken;
    double far;                    /* cycles in @stream for lines from main memory */
    double ends;                   /* cycles over all executions for mispredicted loop ends */
    /* mispredicted executions of data-dependent branches, and their cycles */
    double mispredicted, branches;
    /* cycles over all executions in external functions */
    double calls;
    /* cycles in @calls that overlap with chains and dividers of the part's other code */
    double within;
    double cycles;                 /* total cycles of the part */
    bool unknown;                  /* the machine lacks ports for a form, so @core is a lower
                                    * bound */
    bool estimate;                 /* some of the machine's data for the part's forms are
                                    * estimates */
    /* the part is a loop in the machine code only, as in inline assembly, so its iterations are not
     * counted */
    bool uncounted;
};

struct program_time {
    VEC(struct part_time) parts;   /* parts in descending order of cycles */
    double cycles, seconds;
    /* references that miss in each level, the first level first */
    double misses[MEMORY_LEVELS + 1];
    double references;
    /* pipe model: busy cycles of each kind of pipe */
    double busy[OP_CLASSES];
    /* share of cycles in parts whose cycles are lower bounds, and in parts with estimates */
    double least, estimate;
    size_t unknown_calls;          /* number of executed calls whose cost is unknown */
    char *unknown_call;            /* name of one called function of unknown cost; NULL: none */
};

/* Computes the time of @run on machine @m with its @memory. The run is measured or predicted;
 * @walks are its walks. @calls NULL: calls have no cost. @share is the share of the core.
 * program_time_done frees @out. */
void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out);
/* Returns the name of the largest term of the part's time: "misses", "lines streamed", "calls", or
 * the bound that limits the core. */
const char *part_limit_name(const struct part_time *part);
/* Returns the time of @part, which code_parts_find found for the same run; NULL if there is
 * none. */
const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part);
void program_time_done(struct program_time *t);

#endif
