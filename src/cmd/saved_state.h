/* Automatic state: autosaved sessions and checkpoints. */
#ifndef PORTOLAN_CMD_SAVED_STATE_H
#define PORTOLAN_CMD_SAVED_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/err.h"
#include "cmd/session.h"

struct kept_session {
    char *path, *name;              /* "20261122-225900-4711" */
    time_t saved;
    bool open;                      /* its workbench still runs */
    char *kernel;                   /* in use; NULL: none */
    size_t kernels, experiments, measured;
    struct unfinished_run run;
};
struct kept_sessions { struct kept_session *items; size_t count; };

/* Directory of this process's session; the caller frees. NULL without a home. Creates nothing. */
char *saved_state_session(void);
/* Creates that directory and locks it for the life of this process. False with err. Once. */
bool saved_state_begin(struct err *err);
/* Returns a unique checkpoint name and creates its directory; the caller frees. NULL without a
 * home. */
char *saved_state_checkpoint_new(void);
/* Returns the newest checkpoint, or NULL; the caller frees. */
char *saved_state_checkpoint_last(void);
/* Lists sessions, newest first, except this process's; the caller calls keeping_done. */
struct kept_sessions saved_state_list(void);
void saved_state_done(struct kept_sessions *list);
void kept_session_done(struct kept_session *k);
/* Appends "22:59: triad.s and 2 more kernels, 2,310 experiments, run at 17 %". */
void saved_state_report(const struct kept_session *k, struct str *out);
/* Finds the newest session of a workbench that ended; false when there is none. */
bool saved_state_last(struct kept_session *out);
/* Returns the directory of session @name: a path, a kept session by name, or "last". The caller
 * frees. NULL with err. */
char *saved_state_find(const char *name, struct err *err);
/* Removes the oldest sessions and checkpoints beyond the limits. */
void saved_state_prune(void);

#endif
