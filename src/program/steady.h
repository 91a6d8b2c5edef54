/* Time of a program on a machine: its parts in steady state by loop analysis, with the costs of
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
    /* first block of the part with its number of executions */
    uint32_t block;
    uint32_t unit, loop, line;     /* loop UINT32_MAX: none */
    bool repeats;
    double executions;
    size_t insns;
    double core;                   /* cycles per execution without misses */
    /* part of @core that issue, front end and retirement need */
    double slots;
    enum bound_kind bottleneck;
    /* cycles of all executions for streamed lines, and for misses beyond those hidden by the
     * core */
    double stream, latency;
    /* least cycles of all executions for non-stream misses, at maximal parallelism */
    double taken;
    double far;                    /* part of @stream for lines from main memory */
    double ends;                   /* cycles of all executions for mispredicted loop ends */
    double branches;               /* the same for branches on data */
    /* cycles of all executions in functions that are not the program's */
    double calls;
    /* part of these that overlaps with the part's own chains and units */
    double within;
    double cycles;                 /* total cycles */
    bool unknown;                  /* a form lacks ports: a lower bound */
    bool estimate;                 /* a form's data in the machine are estimates */
    /* a loop that exists only in machine code, as in inline assembly: its iterations are not
     * counted */
    bool uncounted;
};

struct program_time {
    VEC(struct part_time) parts;   /* longest first */
    double cycles, seconds;
    /* references served beyond each level: [0] misses of the first level */
    double misses[MEMORY_LEVELS + 1];
    double references;
    /* pipe model: busy cycles of each kind of pipe */
    double busy[OP_CLASSES];
    /* shares of cycles in parts that are lower bounds, and that use estimates */
    double least, estimate;
    size_t unknown_calls;          /* executions of calls of unknown cost */
    char *unknown_call;            /* one of them; NULL: none */
};

/* Computes the time of @run, measured or predicted, with its @walks, on @m with its @memory. @calls
 * may be NULL: no costs. @share: of the core. program_time_done frees. */
void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out);
/* Name of the largest term of the part's time: "misses", "lines streamed", "calls", or the core's
 * bound. */
const char *part_limit_name(const struct part_time *part);
/* Returns the time of @part, from code_parts_find at the same run; NULL when there is none. */
const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part);
void program_time_done(struct program_time *t);

#endif
