/* Shared parts of the files of the evolve commands. */
#ifndef PORTOLAN_CMD_EVOLVE_START_H
#define PORTOLAN_CMD_EVOLVE_START_H

#include <jansson.h>

#include "cmd/parameter.h"
#include "cmd/session.h"
#include "cmd/task.h"
#include "work/evolve_job.h"

#define LIVE_SECONDS 0.2 /* between two checks for new measurements, in scripts */
#define ACTIVE_SIZE 4    /* default forms of the largest experiments */

/* Of evolve start; some can be set while it runs. */
extern const struct parameter evolve_start_options[];

struct active_choice {
    const char *simulate;    /* id of a machine to measure instead of this CPU; NULL: this CPU */
    /* file of measurements in place of either, about all its forms; NULL: none */
    const char *replay;
    /* experiments besides the single forms, forms of the largest; 0: the defaults */
    size_t most, size;
    bool random;             /* for comparison: random choice */
    bool go_on;              /* with the table that an earlier one kept */
};

/* Adds @take_run to the session's runs. */
void evolve_session_add(struct session *s, struct evolve_run *take_run);
/* Adds measurements made since the start to the newest run, if it is a live one (evolve start
 * --live); call it now and then. */
void evolve_feed(struct session *s);
/* The same at once, in scripts, where the next command would come too early: on return, a live run
 * has all measurements. Does nothing in the workbench. */
void evolve_catch_up(struct session *s);
/* Reports the started run. */
void evolve_show_started(const struct evolve_run *run, struct result *result);
/* Makes @task lay the experiments out, measure and infer in turns, then start a run on all of it,
 * and report both; in scripts it waits for the run to start. @checkpoint is that run's, and the
 * table is kept next to it; may be NULL: neither is kept. */
bool evolve_start_active(struct session *s, const struct active_choice *w,
                         const struct evolve_options *evolve, const char *checkpoint,
                         struct task *task, struct err *err);
/* Whether such a job is running. */
bool evolve_active_choosing(const struct session *s);
/* Reports the rounds so far. */
void evolve_active_show(const struct session *s, struct result *result);
/* The rounds that run @number followed, to be released; NULL when it followed none. */
json_t *evolve_active_json(const struct session *s, unsigned number);

#endif
