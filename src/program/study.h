/* Results for a program at one set of inputs on one machine, for the Program view. Immutable.
 * study_new may run on any thread. */
#ifndef PORTOLAN_PROGRAM_STUDY_H
#define PORTOLAN_PROGRAM_STUDY_H

#include "program/effects.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/octaves.h"

#define STUDY_SIZES 28         /* number of cache sizes, each twice the previous one */
#define STUDY_POINTS 12        /* number of points of the curve of time over an input */

/* An edge from a block to a successor */
struct study_way {
    uint32_t to;               /* index of the successor in study.blocks; UINT32_MAX: not
                                * executed */
    double share;              /* share of the block's executions */
};

struct study_block {
    char *name;                /* function and block number: "main:3" */
    uint32_t block;            /* index of the block in the program */
    /* index of the loop that represents the block, among the unit's loops; UINT32_MAX: no code */
    uint32_t unit, loop;
    uint32_t function;         /* index of the function in the program */
    uint32_t line;             /* source line; 0: unknown */
    double count;              /* number of executions */
    char *formula;             /* formula of the count */
    bool exact;
    /* relative error of the formula at left-out runs; NaN: too few runs */
    double error;
    /* cycles per execution: the block's share, by instructions, of its parts' cycles */
    double cycles;
    double share;              /* share of the program's time */
    const char *limit;         /* limit of the block's largest part; "": the block is in no part */
    struct study_way ways[2];
    size_t way_count;
    bool more_ways;            /* whether the block ends in a switch; only two of its edges are
                                * stored */
};

struct study_level {
    double bytes, misses;      /* capacity in bytes, and share of all references that miss in it */
};

struct study {
    /* serial number, because another study may later have the address of a freed one */
    uint64_t serial;
    char *program, *inputs;    /* names such as "jacobi.c" and "N=2000" */
    char *machine, *title;     /* id and title of the machine */
    /* date of this CPU's memory measurement; "": the study is of another machine */
    char memory_day[KEPT_DAY];
    double seconds, cycles;    /* @cycles: without page faults */
    /* @faults: user time of page faults in seconds, which @seconds and @time include. @fault_share:
     * share of the time of page faults that is user time (page_fault_user_share); 0: another
     * machine. */
    double faults, fault_share;
    VEC(struct study_block) blocks;      /* executed blocks, those with the largest share first */
    bool traced;               /* whether the runs were traced; the members below are set only if
                                * so */
    struct octaves reuse;
    struct study_level levels[MEMORY_LEVELS];
    size_t level_count;
    /* cache sizes in bytes, and share of all references that miss: in a fully associative cache,
     * and in a cache with eight ways */
    double sizes[STUDY_SIZES], full[STUDY_SIZES], eight_ways[STUDY_SIZES];
    size_t size_count;
    size_t axis;               /* index, in the model, of the input on the curve's axis */
    char *axis_name;           /* name of the input on the axis; NULL: no input changes the time */
    double at[INPUTS_MAX];     /* values of the inputs */
    double x[STUDY_POINTS], time[STUDY_POINTS];   /* values of the input on the axis, and seconds */
    size_t point_count;
    struct effects effects;
    struct estimator *estimator;         /* estimator at these inputs; NULL: none */
};

/* Studies @model at @inputs on @m. @here: measures the clock and memory of this CPU (native_known).
 * @progress (may be NULL) gets the completed share, and returns false to cancel. Returns NULL with
 * err if @progress cancelled, or if @m lacks facts. */
struct study *study_new(const struct program_model *model, const double *inputs,
                        const struct machine *m, bool here, model_progress progress, void *state,
                        struct err *err);
void study_free(struct study *s);

#endif
