/* Background job for active experiments. It repeatedly measures, infers, and selects experiments on
 * which near-optimal mappings disagree (infer/select.h). */
#ifndef PORTOLAN_WORK_ACTIVE_JOB_H
#define PORTOLAN_WORK_ACTIVE_JOB_H

#include "infer/select.h"
#include "isa/forms.h"

struct active_round {
    struct select_round of;
    double seconds;              /* seconds since the job started */
};

/* Completed rounds of a job, which writes them. Any thread may read them. */
struct active_curve;
struct active_curve *active_curve_new(void);
void active_curve_free(struct active_curve *c);
/* Copies up to @limit rounds, oldest first. Returns the total number. */
size_t active_curve_get(struct active_curve *c, struct active_round *out, size_t limit);

struct active_options {
    struct select_options select;
    struct mapping *simulated;   /* machine whose simulation is measured; NULL: this CPU */
    double noise;                /* relative noise of the simulated CPU */
    /* recorded measurements that replace measuring; NULL: none. Only experiments with a value are
     * requested. */
    struct experiments *record;
    char *journal;               /* path of the journal; NULL: none */
    /* path of a table with all requested and measured experiments, written regularly; NULL: none */
    char *keep;
    struct active_curve *curve;  /* rounds, borrowed; must outlive the job */
    int cpu;                     /* number of the CPU that measures; -1: any CPU */
};

/* Frees the members that *@o owns. */
void active_options_done(struct active_options *o);

/* Result of the job. @table has all measurements, even after a failure. @problem has the same
 * measurements, and is NULL after a failure. The receiver sets members that it takes to NULL. */
struct active_outcome {
    struct experiments *table;
    struct problem *problem;
};

/* Starts the job that measures the forms of @take_table. Moves the members of @o, except for the
 * curve. Calls @finish on the UI thread. Returns the job's number, or 0 with err. UI thread. */
unsigned active_start(struct experiments *take_table, const struct active_options *o,
                      void (*finish)(void *state, struct active_outcome *out, bool ok), void *state,
                      struct err *err);

#endif
