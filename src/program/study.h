/* Results for a program at one set of inputs on one machine, for the Program view. study_new
 * creates it on any thread; immutable. */
#ifndef PORTOLAN_PROGRAM_STUDY_H
#define PORTOLAN_PROGRAM_STUDY_H

#include "program/effects.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/octaves.h"

#define STUDY_SIZES 28         /* cache sizes; each is twice the previous one */
#define STUDY_POINTS 12        /* points of the curve of time over an input */

/* An edge out of a block. */
struct study_way {
    uint32_t to;               /* index in @blocks; UINT32_MAX: not executed */
    double share;              /* share of the block's executions */
};

struct study_block {
    char *name;                /* name: "main:3" */
    uint32_t block;            /* index in the program */
    /* loop that represents the block, among the unit's loops; UINT32_MAX: no code */
    uint32_t unit, loop;
    uint32_t function;         /* index in the program */
    uint32_t line;             /* source line; 0: unknown */
    double count;              /* executions */
    char *formula;             /* formula of the inputs */
    bool exact;
    /* relative error of the formula at left-out runs; NaN: too few runs */
    double error;
    /* cycles per execution: its share of its part's costs, by instructions */
    double cycles;
    double share;              /* share of the program's time */
    const char *limit;         /* limit of its part; "": in no part */
    struct study_way ways[2];
    size_t way_count;
    bool more_ways;            /* a switch, of which only the first two edges are shown */
};

struct study_level {
    double bytes, misses;      /* capacity; share of all references that miss */
};

struct study {
    /* unique number, even if the address of a freed study is reused */
    uint64_t serial;
    char *program, *inputs;    /* examples: "jacobi.c", "N=2000" */
    char *machine, *title;     /* id and title */
    char memory_day[KEPT_DAY];   /* date of this CPU's memory measurement; "": another machine */
    double seconds, cycles;
    VEC(struct study_block) blocks;      /* executed blocks, largest share first */
    bool traced;               /* the runs were traced: the members below are set */
    struct octaves reuse;
    struct study_level levels[MEMORY_LEVELS];
    size_t level_count;
    /* cache sizes in bytes; share of all references that miss in a fully associative cache, and
     * with eight ways */
    double sizes[STUDY_SIZES], full[STUDY_SIZES], eight_ways[STUDY_SIZES];
    size_t size_count;
    size_t axis;               /* input of the curve, an index in the model */
    char *axis_name;           /* name of this input; NULL: no input changes the time */
    double at[INPUTS_MAX];     /* the study's inputs */
    double x[STUDY_POINTS], time[STUDY_POINTS];   /* values of the input; seconds */
    size_t point_count;
    struct effects effects;
    struct estimator *estimator;         /* estimator at the inputs; NULL: none */
};

/* Studies @model at @inputs on @m. @here: measures the clock and memory of this CPU (native_known).
 * @progress (may be NULL) is called with the completed share and returns false to cancel. NULL with
 * err if cancelled, or if @m lacks facts. Takes about a second. */
struct study *study_new(const struct program_model *model, const double *inputs,
                        const struct machine *m, bool here, model_progress progress, void *state,
                        struct err *err);
void study_free(struct study *s);

#endif
