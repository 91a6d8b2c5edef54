/* Runs a command's work on a worker thread when the UI is up; the command prepares it and the
 * result is published atomically on the UI thread. */
#ifndef PORTOLAN_CMD_TASK_H
#define PORTOLAN_CMD_TASK_H

#include "base/err.h"
#include "cmd/session.h"
#include "table/result.h"
#include "work/job.h"

/* Whether the work is in the list of jobs. */
enum task_listed {
    TASK_LISTED_ON_SCREEN,   /* while there is a screen; without one the calling thread does it */
    TASK_LISTED_IF_LONG,     /* the same, but not when it has ended within the screen's patience */
    TASK_LISTED,             /* always */
};

struct task_ops {
    const char *title;       /* the job's; NULL: the command's name */
    const char *doing;       /* as in "job 3 loads" */
    /* Worker thread: does the work on @state, and on no part of the session that @state does not
     * hold. Loops poll watch_steps (base/watch.h); the result of work that ends early is dropped.
     * @result is shown when the task has ended well. job_current() is the job, for progress. False
     * with err on failure. */
    bool (*work)(void *state, struct result *result, struct err *err);
    /* UI thread, when work ended well: puts its result into the session, and may add to @result.
     * NULL: nothing is put. False with err: the task failed after all. */
    bool (*publish)(struct session *s, void *state, struct result *result, struct err *err);
    /* UI thread, once. */
    void (*free)(void *state);
    /* UI thread, when work failed (@err) or was cancelled (NULL): its partial result, if shown.
     * NULL: none. */
    void (*failed)(struct session *s, void *state, struct result *result, const struct err *err);
    /* UI thread: the screen no longer waits, the work continues as job @number. NULL: not
     * needed. */
    void (*goes_on)(struct session *s, unsigned number);
    enum task_listed listed;
    bool (*measures)(const void *state);   /* as those of struct job_ops */
    bool measures_alone, counts;
    /* its work may return true also when it was ended: with its result so far, which is
     * published */
    bool keeps;
};

/* Data from prepare. */
struct task {
    const struct task_ops *ops;   /* NULL: nothing is left to do */
    void *state;
    const char *title;      /* the job's, where one command has several; NULL: that of ops */
};

/* Makes @task the work on @take_state. True. */
bool task_give(struct task *task, const struct task_ops *ops, void *take_state);
/* Starts the work of @take_task for command @name and waits until it has ended; on the screen for
 * at most session.patience, after which the following commands wait for it (session.queue). False
 * with err when it could not start, or has failed already. UI thread. */
bool task_start(struct session *s, const char *name, const struct task *take_task, struct err *err);
/* Starts work that continues in the background while other commands run. Returns the job's number,
 * 0 with err when it could not start. */
unsigned task_begin(struct session *s, const char *title, const struct task_ops *ops,
                    void *take_state, struct err *err);
/* The same for work that no user requested or waits for (job_start_aside). Returns the job's
 * number, 0 with err when it could not start. */
unsigned task_start_aside(struct session *s, const char *title, const struct task_ops *ops,
                          void *take_state, struct err *err);

#endif
