/* A command's work, on a thread of its own while there is a screen: it reads what it was given, and what it made is published on the UI thread, whole. */
#ifndef PORTOLAN_CMD_TASK_H
#define PORTOLAN_CMD_TASK_H

#include "base/err.h"
#include "cmd/session.h"
#include "table/result.h"

struct task_ops {
    /* Worker thread: does the work on what @state holds, and nothing of the session but what was held for it. Loops ask watch_steps (base/watch.h), and what ends early
     * because of it comes to nothing. What @result gets is shown when the task has ended well. False with err on failure. */
    bool (*work)(void *state, struct result *result, struct err *err);
    /* UI thread, when work ended well: puts what it made into the session, and may add to @result. NULL: nothing is put. False with err: the task failed after all. */
    bool (*publish)(struct session *s, void *state, struct result *result, struct err *err);
    /* UI thread, once. */
    void (*free)(void *state);
};

/* Starts it and waits as session_job does; without a screen does it on the calling thread. Takes @take_state. @title is the job's, @doing as in "job 3 loads". False with err when it could not start, or has
 * failed already. */
bool task_start(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err);
/* The same; when it has ended within the screen's patience it does not appear in the list of jobs. */
bool task_start_passing(struct session *s, const char *title, const char *doing, const struct task_ops *ops, void *take_state, struct err *err);

#endif
