/* What the files of `evolve start` share. */
#ifndef PORTOLAN_CMD_EVOLVE_START_H
#define PORTOLAN_CMD_EVOLVE_START_H

#include "cmd/session.h"
#include "work/evolve_job.h"

struct active_words {
    const char *simulate;    /* id of a machine to measure instead of this CPU; NULL: this CPU */
    size_t most, size;       /* experiments besides the single forms, forms of each; 0: the defaults */
    bool random;             /* for comparison: chosen by chance */
};

/* Adds @take_run to the session's runs. */
void evolve_session_add(struct session *s, struct evolve_run *take_run);
/* Prints what was started. */
void evolve_session_print(struct session *s, const struct evolve_run *run);
/* Measures and infers in turns as a job, then starts a run on all of it; in scripts waits for the job. @checkpoint is that run's, may be NULL. */
bool evolve_start_active(struct session *s, const struct active_words *w, const struct evolve_options *evolve, const char *checkpoint, struct err *err);

#endif
