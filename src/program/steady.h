/* The time of a program on a machine: its parts in steady state by the analysis of loops, with the
 * costs of misses, calls and loop ends. */
#ifndef PORTOLAN_PROGRAM_STEADY_H
#define PORTOLAN_PROGRAM_STEADY_H

#include "analysis/bounds.h"
#include "program/calls.h"
#include "program/code.h"
#include "program/memory.h"
#include "program/turns.h"

enum part_limit { LIMIT_CORE, LIMIT_MISSES };

struct part_time {
    /* the first of the part's blocks with the same number of executions */
    uint32_t block;
    uint32_t unit, loop, line;     /* loop UINT32_MAX: none */
    bool repeats;
    double executions;
    size_t insns;
    double core;                   /* cycles per execution without misses */
    /* of core, cycles that the issue, front end and retirement need */
    double slots;
    enum bound_kind bottleneck;
    /* cycles of all executions for lines streamed, for misses that are waited for beyond the core's
     * own */
    double stream, latency;
    /* cycles of all executions at least for misses that are no streams, however many are under way
     * together */
    double taken;
    double far;                    /* of stream, lines from main memory */
    double ends;                   /* cycles of all executions for mispredicted loop ends */
    /* cycles of all executions in functions that are not the program's */
    double calls;
    /* of these, cycles that overlap with the part's own chains and units */
    double within;
    double cycles;                 /* all of it */
    bool unknown;                  /* a form without ports: a lower bound */
    bool estimate;                 /* the machine's row of a form is an estimate */
    /* a loop of the machine code that the compiled code does not have, as in inline assembly: its
     * iterations are not counted */
    bool uncounted;
};

struct program_time {
    VEC(struct part_time) parts;   /* the longest first */
    double cycles, seconds;
    /* references served beyond each level: [0] misses of the first level */
    double misses[MEMORY_LEVELS + 1];
    double references;
    /* of the model with pipes: busy cycles of each kind's, summed over them */
    double busy[OP_CLASSES];
    /* shares of cycles, in parts that are lower bounds and that rest on estimates of forms */
    double least, estimate;
    size_t unknown_calls;          /* executions of calls whose cost is not known */
    char *unknown_call;            /* one of them; NULL: none */
};

/* @run, measured or predicted, whose walks @walks are, on @m with its @memory. @calls may be NULL:
 * none is known. @share: of the core that others leave. program_time_done frees. Any thread. */
void steady_time(const struct program_code *c, const struct program_run *run,
                 const struct turns_walks *walks, const struct machine *m,
                 const struct memory *memory, struct call_costs *calls,
                 const struct core_share *share, struct program_time *out);
/* Largest part of the part's time: "misses", "lines streamed", "calls", or the core's bound. */
const char *part_limit_name(const struct part_time *part);
/* The time of @part, one of those that code_parts_find finds at the same run; NULL when there is
 * none. */
const struct part_time *program_time_part(const struct program_time *t,
                                          const struct code_part *part);
void program_time_done(struct program_time *t);

#endif
