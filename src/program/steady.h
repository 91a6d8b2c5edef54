/* Time of a program on a machine: its parts in the steady state by loop analysis, with the costs of
 * misses, calls and loop ends. */
#ifndef PORTOLAN_PROGRAM_STEADY_H
#define PORTOLAN_PROGRAM_STEADY_H

#include "analysis/bounds.h"
#include "program/calls.h"
#include "program/code.h"
#include "program/memory.h"
#include "program/turns.h"

enum part_limit { LIMIT_CORE, LIMIT_MISSES };

struct part_time {
    /* first block of the part with as many executions */
    uint32_t block;
    uint32_t unit, loop, line;     /* loop UINT32_MAX: none */
    bool repeats;
    double executions;
    size_t insns;
    double core;                   /* cycles per execution without misses */
    /* part of @core for issue, front end and retirement */
    double slots;
    enum bound_kind bottleneck;
    /* cycles over all executions for streamed lines, and for misses that the core does not hide */
    double stream, latency;
    /* least cycles over all executions for misses outside streams, at maximal parallelism */
    double taken;
    double far;                    /* part of @stream for lines from main memory */
    double ends;                   /* cycles over all executions for mispredicted loop ends */
    /* mispredicted executions of data-dependent branches, and their cycles */
    double mispredicted, branches;
    /* cycles over all executions in external functions */
    double calls;
    /* part of @calls that overlaps with the part's own chains and units */
    double within;
    double cycles;                 /* total cycles of the part */
    bool unknown;                  /* the machine has no ports for a form: @core is a lower bound */
    bool estimate;                 /* the machine's data for a form are estimates */
    /* a loop that exists only in machine code, as in inline assembly: its iterations are not
     * counted */
    bool uncounted;
};

struct program_time {
    VEC(struct part_time) parts;   /* longest first */
    double cycles, seconds;
    /* references served beyond each level; [0]: misses of the first level */
    double misses[MEMORY_LEVELS + 1];
    double references;
    /* pipe model: busy cycles of each kind of pipe */
    double busy[OP_CLASSES];
    /* shares of cycles in parts that are lower bounds, and in parts that use estimates */
    double least, estimate;
    size_t unknown_calls;          /* executions of calls of unknown cost */
    char *unknown_call;            /* name of one called function of unknown cost; NULL: none */
};

/* Computes the time of @run, measured or predicted, with its @walks, on @m with its @memory. @calls
 * may be NULL: calls have no cost. @share is the share of the core. program_time_done frees
 * @out. */
void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out);
/* Returns the name of the largest term of the part's time: "misses", "lines streamed", "calls", or
 * the core's bound. */
const char *part_limit_name(const struct part_time *part);
/* Returns the time of @part, found by code_parts_find for the same run; NULL if there is none. */
const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part);
void program_time_done(struct program_time *t);

#endif
