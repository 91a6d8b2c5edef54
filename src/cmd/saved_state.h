/* State saved automatically: sessions and checkpoints. */
#ifndef PORTOLAN_CMD_SAVED_STATE_H
#define PORTOLAN_CMD_SAVED_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/err.h"
#include "cmd/session.h"

struct kept_session {
    char *path, *name;              /* @name: such as "20261122-225900-4711" */
    time_t saved;
    bool open;                      /* whether the session's workbench still runs */
    char *kernel;                   /* name of the current kernel; NULL: none */
    size_t kernels, experiments, measured;
    struct unfinished_run run;
};
struct kept_sessions { struct kept_session *items; size_t count; };

/* Returns the directory of this process's session, without creating it; NULL if there is no state
 * directory (path_state). The caller frees it. */
char *saved_state_session(void);
/* Creates the parent directories of saved_state_session. Locks a file next to the session until the
 * process ends, if the system supports locks, so that other processes see that it is in use. Call
 * it once. Returns false with err. */
bool saved_state_begin(struct err *err);
/* Returns a unique path for a checkpoint and creates its directory; NULL if there is no state
 * directory (path_state). The caller frees it. */
char *saved_state_checkpoint_new(void);
/* Returns the path of the newest checkpoint; NULL: none. The caller frees it. */
char *saved_state_checkpoint_last(void);
/* Lists all sessions except this process's, newest first. The caller calls saved_state_done. */
struct kept_sessions saved_state_list(void);
void saved_state_done(struct kept_sessions *list);
void kept_session_done(struct kept_session *k);
/* Appends a summary such as "22:59: triad.s and 2 more kernels, 2,310 experiments, run at 17 %". */
void saved_state_report(const struct kept_session *k, struct str *out);
/* Finds the newest session whose workbench has ended. Returns false if there is none. */
bool saved_state_last(struct kept_session *out);
/* Returns the directory of session @name: a path, the name of a saved session, or "last"; NULL
 * with err. The caller frees it. */
char *saved_state_find(const char *name, struct err *err);
/* Removes the oldest sessions and checkpoints beyond the limits. Keeps open sessions. */
void saved_state_prune(void);

#endif
