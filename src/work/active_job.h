/* Background job for active experiments: repeatedly measures, infers, and selects experiments on
 * which near-optimal mappings disagree (infer/select.h). */
#ifndef PORTOLAN_WORK_ACTIVE_JOB_H
#define PORTOLAN_WORK_ACTIVE_JOB_H

#include "infer/select.h"
#include "isa/forms.h"

struct active_round {
    struct select_round of;
    double seconds;              /* seconds since the job started */
};

/* Completed rounds of a job. The job writes them; any thread may read them. */
struct active_curve;
struct active_curve *active_curve_new(void);
void active_curve_free(struct active_curve *c);
/* Copies up to @limit rounds, oldest first. Returns the total number. */
size_t active_curve_get(struct active_curve *c, struct active_round *out, size_t limit);

struct active_options {
    struct select_options select;
    struct mapping *simulated;   /* machine measured by simulation; NULL: this CPU */
    double noise;                /* relative noise of the simulated CPU */
    /* recorded measurements that replace measuring; only experiments with a value are requested;
     * NULL: none */
    struct experiments *record;
    char *journal;               /* path of the journal; NULL: none */
    /* path of a table with all requested and measured experiments, written regularly; NULL: none */
    char *keep;
    struct active_curve *curve;  /* borrowed; must outlive the job */
    int cpu;                     /* -1: any */
};

/* Frees what *@o owns. */
void active_options_done(struct active_options *o);

/* Result of the job. table: all measurements, also after a failure. problem: made from them; NULL
 * after a failure. The receiver sets to NULL what it moves out. */
struct active_outcome {
    struct experiments *table;
    struct problem *problem;
};

/* Starts the job that measures the forms of @take_table. The members of @o are moved, except for
 * the curve. @finish is called on the UI thread. UI thread. Returns the job's number; 0 with
 * err. */
unsigned active_start(struct experiments *take_table, const struct active_options *o,
                      void (*finish)(void *state, struct active_outcome *out, bool ok), void *state,
                      struct err *err);

#endif
