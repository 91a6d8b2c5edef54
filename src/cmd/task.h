/* Work of commands. The command prepares its input. A worker thread does the work if the screen is
 * open. The UI thread publishes the result atomically. */
#ifndef PORTOLAN_CMD_TASK_H
#define PORTOLAN_CMD_TASK_H

#include "base/err.h"
#include "cmd/parameter.h"
#include "cmd/session.h"
#include "table/result.h"
#include "work/job.h"

/* conditions under which the work is listed as a job */
enum task_listed {
    /* listed in the workbench; in scripts the calling thread does the work */
    TASK_LISTED_ON_SCREEN,
    /* listed in the workbench, unless the work ends within the screen's patience */
    TASK_LISTED_IF_LONG,
    TASK_LISTED,             /* always listed */
};

struct task_ops {
    const char *doing;       /* verb for messages: "job 3 loads"; NULL: the work is started
                              * only by task_begin or task_start_aside */
    /* Does the work on @state. Worker thread; it must use only parts of the session to which @state
     * has references. Loops poll watch_steps (base/watch.h). The result of cancelled work is
     * dropped. @result is shown on success. Returns false with err. */
    bool (*work)(void *state, struct result *result, struct err *err);
    /* Stores the result in the session after success, and may add to @result. UI thread. NULL:
     * nothing to do. Returns false with err if that fails. */
    bool (*publish)(struct session *s, void *state, struct result *result, struct err *err);
    /* Frees @state. UI thread; called once. */
    void (*free)(void *state);
    /* Called after a failure of work (@err), or after the cancellation of its job (@err NULL); not
     * called if publish fails. May add a partial result. UI thread. May be NULL. */
    void (*failed)(struct session *s, void *state, struct result *result, const struct err *err);
    /* Called when the screen stops waiting, and the work continues as job @number. UI thread. May
     * be NULL. */
    void (*goes_on)(struct session *s, unsigned number);
    enum task_listed listed;
    const char *title;       /* title of the job; NULL: the command's name */
    bool measures, measures_alone, counts;   /* as in struct job_ops */
    /* whether cancelled work may return true; its partial result is then published */
    bool keeps;
};

/* work that a command's `prepare` defines */
struct task {
    const struct task_ops *ops;   /* functions of the work; NULL: the command has already done the
                                   * work */
    void *state;
    /* title of the job, for a command with several titles; NULL: the title in @ops */
    const char *title;
    const char *doing;   /* verb for messages; NULL: the verb in @ops */
    struct given *given; /* the command's values, valid as long as @state; NULL: none */
    bool measures;   /* whether this work measures, if that depends on the command's values */
};

/* Makes @task do the work of @ops on @take_state. Returns true. If the handler fails afterwards,
 * its caller frees the state. */
bool task_give(struct task *task, const struct task_ops *ops, void *take_state);
/* Frees the state and the values of work that is not started. */
void task_drop(const struct task *task);
/* Starts the work of @take_task for command @name and waits for it. The workbench waits at most
 * session.patience; then further commands are queued (session.queue). Returns false with err if the
 * work did not start or failed. UI thread. */
bool task_start(struct session *s, const char *name, const struct task *take_task, struct err *err);
/* Starts work that continues in the background while other commands run. Returns the job number; 0
 * with err: it did not start. */
unsigned task_begin(struct session *s, const char *title, const struct task *take_task,
                    struct err *err);
/* Starts automatic work like task_begin, for which no command waits (job_start_aside). */
unsigned task_start_aside(struct session *s, const char *title, const struct task *take_task,
                          struct err *err);

#endif
