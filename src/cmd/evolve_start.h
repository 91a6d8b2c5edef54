/* What the files of `evolve start` share. */
#ifndef PORTOLAN_CMD_EVOLVE_START_H
#define PORTOLAN_CMD_EVOLVE_START_H

#include <jansson.h>

#include "cmd/session.h"
#include "work/evolve_job.h"

struct active_words {
    const char *simulate;    /* id of a machine to measure instead of this CPU; NULL: this CPU */
    size_t most, size;       /* experiments besides the single forms, forms of the largest; 0: the defaults */
    bool random;             /* for comparison: chosen by chance */
    bool go_on;              /* with the table that an earlier one kept */
};

/* Adds @take_run to the session's runs. */
void evolve_session_add(struct session *s, struct evolve_run *take_run);
/* Prints what was started. */
void evolve_session_print(struct session *s, const struct evolve_run *run);
/* Measures and infers in turns as a job, then starts a run on all of it; in scripts waits for the job and prints both. @checkpoint is that run's, and the
 * table is kept beside it; may be NULL: neither is kept. */
bool evolve_start_active(struct session *s, const struct active_words *w, const struct evolve_options *evolve, const char *checkpoint, struct err *err);
/* Whether such a job goes on. */
bool evolve_active_choosing(void);
/* Prints the rounds so far; nothing without any. */
void evolve_active_print(struct session *s);
/* Adds them to a result of run @number, if it is the one that followed them. */
void evolve_active_json(const struct session *s, unsigned number, json_t *object);

#endif
