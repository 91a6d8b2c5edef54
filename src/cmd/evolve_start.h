/* Shared parts of the evolve commands. */
#ifndef PORTOLAN_CMD_EVOLVE_START_H
#define PORTOLAN_CMD_EVOLVE_START_H

#include <jansson.h>

#include "cmd/parameter.h"
#include "cmd/session.h"
#include "cmd/task.h"
#include "work/evolve_job.h"

#define LIVE_SECONDS 0.2 /* between two polls for new measurements, in scripts */
#define ACTIVE_SIZE 4    /* forms of the largest experiments by default */

/* Options of evolve start; some can be changed while it runs. */
extern const struct parameter evolve_start_options[];

struct active_choice {
    const char *simulate;    /* id of a machine to measure instead of this CPU; NULL: this CPU */
    /* file of measurements to use instead of measuring, for all its forms; NULL: none */
    const char *replay;
    /* number of experiments besides single forms, and forms of the largest; 0: the defaults */
    size_t most, size;
    bool random;             /* chooses at random, for comparison */
    bool go_on;              /* continues with the table kept by an earlier one */
};

/* Adds @take_run to the session. */
void evolve_session_add(struct session *s, struct evolve_run *take_run);
/* Adds new measurements to the newest run, if it is live (evolve start --live); call it
 * regularly. */
void evolve_feed(struct session *s);
/* Adds all measurements to a live run before it returns, for scripts, where the next command would
 * come too early. No effect in the workbench. */
void evolve_catch_up(struct session *s);
/* Reports the started run. */
void evolve_show_started(const struct evolve_run *run, struct result *result);
/* Makes @task select experiments, measure and infer in rounds, then start a run on all of them, and
 * report both; in scripts it waits for the start. @checkpoint of that run (may be NULL); the table
 * is kept next to it. */
bool evolve_start_active(struct session *s, const struct active_choice *w,
                         const struct evolve_options *evolve, const char *checkpoint,
                         struct task *task, struct err *err);
/* Returns whether such a job is running. */
bool evolve_active_choosing(const struct session *s);
/* Reports the rounds so far. */
void evolve_active_show(const struct session *s, struct result *result);
/* Returns the rounds before run @number as JSON, a new reference; NULL when there were none. */
json_t *evolve_active_json(const struct session *s, unsigned number);

#endif
