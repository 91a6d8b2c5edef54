/* Everything about a program at one set of inputs on one machine, for the Program view. Created
 * once by study_new on any thread; immutable. */
#ifndef PORTOLAN_PROGRAM_STUDY_H
#define PORTOLAN_PROGRAM_STUDY_H

#include "program/effects.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/octaves.h"

#define STUDY_SIZES 28         /* cache sizes, each twice the previous */
#define STUDY_POINTS 12        /* points of the curve of time over an input */

/* An edge out of a block. */
struct study_way {
    uint32_t to;               /* index into blocks; UINT32_MAX: not executed */
    double share;              /* of the block's executions */
};

struct study_block {
    char *name;                /* "main:3" */
    uint32_t block;            /* of the program */
    /* loop to show, among the unit's loops; UINT32_MAX: no code */
    uint32_t unit, loop;
    uint32_t function;         /* of the program */
    uint32_t line;             /* source line; 0: unknown */
    double count;              /* executions */
    char *formula;             /* of the inputs */
    bool exact;
    /* relative error of the formula with each run left out in turn; NaN: too few runs */
    double error;
    /* cycles per execution: its share of its part's costs, by instructions */
    double cycles;
    double share;              /* of the program's time */
    const char *limit;         /* limit of its part; "": in no part */
    struct study_way ways[2];
    size_t way_count;
    bool more_ways;            /* a switch: the first two edges are shown */
};

struct study_level {
    double bytes, misses;      /* misses: share of all references */
};

struct study {
    /* unique, also when a freed study's address is reused */
    uint64_t serial;
    char *program, *inputs;    /* "jacobi.c", "N=2000" */
    char *machine, *title;     /* id and title */
    char memory_day[KEPT_DAY];   /* date of this CPU's memory measurement; "": another machine */
    double seconds, cycles;
    VEC(struct study_block) blocks;      /* executed ones, largest share first */
    bool traced;               /* the runs were traced, so the following are known */
    struct octaves reuse;
    struct study_level levels[MEMORY_LEVELS];
    size_t level_count;
    /* cache size in bytes; share of all references that miss */
    double sizes[STUDY_SIZES], full[STUDY_SIZES], eight_ways[STUDY_SIZES];
    size_t size_count;
    size_t axis;               /* index of the input of the curve, among the model's */
    char *axis_name;           /* NULL: no input changes the time */
    double at[INPUTS_MAX];     /* the inputs */
    double x[STUDY_POINTS], time[STUDY_POINTS];   /* seconds */
    size_t point_count;
    struct effects effects;
    struct estimator *estimator;         /* NULL: none */
};

/* Studies @model at @inputs on @m; measures its clock and memory if @here (native_known). @progress
 * (may be NULL) gets the completed share; it returns false to cancel. NULL with err then, or when
 * @m lacks facts. Takes about a second. */
struct study *study_new(const struct program_model *model, const double *inputs,
                        const struct machine *m, bool here, model_progress progress, void *state,
                        struct err *err);
void study_free(struct study *s);

#endif
