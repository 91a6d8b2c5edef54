/* All that is known of a program at one set of inputs on one machine, as the Program view shows it.
 * Made once, by study_new on any thread; then nothing in it changes. */
#ifndef PORTOLAN_PROGRAM_STUDY_H
#define PORTOLAN_PROGRAM_STUDY_H

#include "program/effects.h"
#include "program/estimate.h"
#include "program/native_kept.h"
#include "program/octaves.h"

#define STUDY_SIZES 28         /* of caches, each twice the one before */
#define STUDY_POINTS 12        /* of the time over an input */

/* A way out of a block. */
struct study_way {
    uint32_t to;               /* index into blocks; UINT32_MAX: one that is not executed */
    double share;              /* of the block's executions */
};

struct study_block {
    char *name;                /* "main:3" */
    uint32_t block;            /* of the program */
    /* loop to show: of the unit's kernel; UINT32_MAX: it has no code */
    uint32_t unit, loop;
    uint32_t function;         /* of the program */
    uint32_t line;             /* of the source; 0: not known */
    double count;              /* executions */
    char *formula;             /* of the inputs */
    bool exact;
    /* of the formula, relative, when each run in turn is left out; NaN: too few runs */
    double error;
    /* of one execution: its share of all costs of its part, by instructions */
    double cycles;
    double share;              /* of the program's time */
    const char *limit;         /* limit of its part; "": in no part */
    struct study_way ways[2];
    size_t way_count;
    bool more_ways;            /* a switch: the first two are shown */
};

struct study_level {
    double bytes, misses;      /* misses: share of all references */
};

struct study {
    /* unique, also after another study was freed at this address */
    uint64_t serial;
    char *program, *inputs;    /* "jacobi.c", "N=2000" */
    char *machine, *title;     /* id and title */
    char memory_day[KEPT_DAY];   /* that this CPU's memory was measured; "": another machine */
    double seconds, cycles;
    VEC(struct study_block) blocks;      /* executed ones, those with the largest share first */
    bool traced;               /* memory is known, and so are the following */
    struct octaves reuse;
    struct study_level levels[MEMORY_LEVELS];
    size_t level_count;
    /* bytes; shares of all references that miss */
    double sizes[STUDY_SIZES], full[STUDY_SIZES], eight_ways[STUDY_SIZES];
    size_t size_count;
    size_t axis;               /* the input that the time is over; of the model's */
    char *axis_name;           /* NULL: no input changes anything */
    double at[INPUTS_MAX];     /* the inputs */
    double x[STUDY_POINTS], time[STUDY_POINTS];   /* seconds */
    size_t point_count;
    struct effects effects;
    struct estimator *estimator;         /* NULL: none */
};

/* Studies @model at @inputs on @m; its clock and memory are measured if @here (native_known).
 * @progress (may be NULL) gets the share done and returns whether to continue. NULL with err when
 * not, or when @m lacks facts. A second or so. */
struct study *study_new(const struct program_model *model, const double *inputs,
                        const struct machine *m, bool here, model_progress progress, void *state,
                        struct err *err);
void study_free(struct study *s);

#endif
