/* Runs a command's work on a worker thread when the UI is up; the command prepares it and the
 * result is published atomically on the UI thread. */
#ifndef PORTOLAN_CMD_TASK_H
#define PORTOLAN_CMD_TASK_H

#include "base/err.h"
#include "cmd/session.h"
#include "table/result.h"
#include "work/job.h"

/* Whether the work is listed as a job. */
enum task_listed {
    TASK_LISTED_ON_SCREEN,   /* listed in the workbench; otherwise done on the calling thread */
    TASK_LISTED_IF_LONG,     /* listed in the workbench, unless it ends within the screen's
                              * patience */
    TASK_LISTED,             /* always */
};

struct task_ops {
    const char *title;       /* of the job; NULL: the command's name */
    const char *doing;       /* verb for "job 3 loads" */
    /* Worker thread: does the work on @state, using only parts of the session that @state holds.
     * Loops poll watch_steps (base/watch.h); the result of cancelled work is dropped. @result is
     * shown on success. job_current() is the job, for progress. False with err on failure. */
    bool (*work)(void *state, struct result *result, struct err *err);
    /* UI thread, on success: puts the result into the session, and may add to @result. NULL:
     * nothing to do. False with err: the task failed. */
    bool (*publish)(struct session *s, void *state, struct result *result, struct err *err);
    /* UI thread, once. */
    void (*free)(void *state);
    /* UI thread, on failure (@err) or cancellation (NULL): returns a partial result to show. NULL:
     * none. */
    void (*failed)(struct session *s, void *state, struct result *result, const struct err *err);
    /* UI thread: the screen no longer waits, and the work continues as job @number. May be NULL. */
    void (*goes_on)(struct session *s, unsigned number);
    enum task_listed listed;
    bool (*measures)(const void *state);   /* as in struct job_ops */
    bool measures_alone, counts;
    /* cancelled work may return true with its result so far, which is published */
    bool keeps;
};

/* Data from prepare. */
struct task {
    const struct task_ops *ops;   /* NULL: the work is done */
    void *state;
    const char *title;      /* of the job, if a command has several; NULL: that of ops */
};

/* Makes @task the work on @take_state. Returns true. */
bool task_give(struct task *task, const struct task_ops *ops, void *take_state);
/* Starts the work of @take_task for command @name and waits for it; in the workbench at most
 * session.patience, after which following commands wait (session.queue). False with err when it
 * could not start or has failed. UI thread. */
bool task_start(struct session *s, const char *name, const struct task *take_task, struct err *err);
/* Starts work that continues in the background while other commands run. Returns the job number, 0
 * with err when it could not start. */
unsigned task_begin(struct session *s, const char *title, const struct task_ops *ops,
                    void *take_state, struct err *err);
/* The same for automatic work that no command waits for (job_start_aside). Returns the job number,
 * 0 with err when it could not start. */
unsigned task_start_aside(struct session *s, const char *title, const struct task_ops *ops,
                          void *take_state, struct err *err);

#endif
