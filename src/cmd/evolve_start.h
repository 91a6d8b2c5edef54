/* Functions shared by the evolve commands. */
#ifndef PORTOLAN_CMD_EVOLVE_START_H
#define PORTOLAN_CMD_EVOLVE_START_H

#include <jansson.h>

#include "cmd/parameter.h"
#include "cmd/session.h"
#include "cmd/task.h"
#include "work/evolve_job.h"

#define LIVE_SECONDS 0.2 /* seconds between two polls for new measurements in scripts */
#define ACTIVE_SIZE 4    /* default number of forms of the largest experiments */

/* options of evolve start; some can be changed while it runs */
extern const struct parameter evolve_start_options[];

struct active_choice {
    const char *simulate;    /* id of a machine to measure instead of this CPU; NULL: this CPU */
    /* file of recorded measurements that replace measuring; NULL: none */
    const char *replay;
    /* @most: number of experiments besides single forms. @size: number of forms of the largest
     * experiment. 0: the defaults. */
    size_t most, size;
    bool random;             /* whether experiments are chosen at random, for comparison */
    bool go_on;              /* whether the run continues with the table of an earlier run */
};

/* Adds @take_run to the session. */
void evolve_session_add(struct session *s, struct evolve_run *take_run);
/* Adds new measurements to the newest run if it is live (evolve start --live). The main loop calls
 * it regularly. */
void evolve_feed(struct session *s);
/* Waits until a live run has all measurements, because the next command of a script follows at
 * once. Does nothing in the workbench. */
void evolve_catch_up(struct session *s);
/* Reports the run that was started. */
void evolve_show_started(const struct evolve_run *run, struct result *result);
/* Makes @task select experiments, measure and infer in rounds, then start a run on all measurements
 * and report it. Scripts wait for the start. @checkpoint (may be NULL): path of the run's
 * checkpoint, next to which the table is stored. Returns false with err. */
bool evolve_start_active(struct session *s, const struct active_choice *w,
                         const struct evolve_options *evolve, const char *checkpoint,
                         struct task *task, struct err *err);
/* Returns whether a job of evolve_start_active is running. */
bool evolve_active_choosing(const struct session *s);
/* Reports the completed rounds of the job of evolve_start_active. */
void evolve_active_show(const struct session *s, struct result *result);
/* Returns the rounds that preceded run @number as JSON, a new reference; NULL: none. */
json_t *evolve_active_json(const struct session *s, unsigned number);

#endif
