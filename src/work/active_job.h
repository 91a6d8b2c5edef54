/* Active experiments as a background job: measure, infer, ask for what near-optimal mappings disagree on, in turns (infer/select.h). */
#ifndef PORTOLAN_WORK_ACTIVE_JOB_H
#define PORTOLAN_WORK_ACTIVE_JOB_H

#include "infer/select.h"
#include "isa/forms.h"

/* One round: how many experiments besides those of single forms there were, and how well the mapping explains all so far. */
struct active_round {
    size_t measurements;
    double seconds;     /* since the job began */
    double error;       /* mean relative error on what was chosen for the next round, once measured; NaN for the last round */
};

struct active_options {
    struct select_options select;
    struct mapping *simulated;   /* measured instead of this CPU; NULL: this CPU */
    double noise;                /* of the simulated one, relative */
    char *journal;               /* path; NULL: none */
    int cpu;                     /* -1: any */
};

struct active_result {
    struct experiments *table;   /* all that was measured; also after a failure */
    VEC(struct active_round) rounds;
};

/* Starts the job on @take_table, whose forms are the ones asked about. Takes what @o points to as well. @finish runs on the UI thread with the result, which
 * it may take the table from. UI thread. The job's number, 0 with err. */
unsigned active_start(struct experiments *take_table, const struct active_options *o, void (*finish)(void *state, struct active_result *result, bool ok),
                      void *state, struct err *err);

#endif
