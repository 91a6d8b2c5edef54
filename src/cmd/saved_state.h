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
    bool open;                      /* the workbench that it is of still runs */
    char *kernel;                   /* the one in use; NULL: none */
    size_t kernels, experiments, measured;
    struct unfinished_run run;
};
struct kept_sessions { struct kept_session *items; size_t count; };

/* Where this process keeps its session; the caller frees. NULL without a home. Makes nothing. */
char *saved_state_session(void);
/* Marks that session as open for other processes while this one lives; its directory is made. False
 * with err. Once. */
bool saved_state_begin(struct err *err);
/* A name for a checkpoint that no other run has, its directory made; the caller frees. NULL without
 * a home. */
char *saved_state_checkpoint_new(void);
/* The newest checkpoint there is; the caller frees. NULL: none. */
char *saved_state_checkpoint_last(void);
/* The sessions there, newest first, of this process not; the caller calls keeping_done. */
struct kept_sessions saved_state_list(void);
void saved_state_done(struct kept_sessions *list);
void kept_session_done(struct kept_session *k);
/* Appends "22:59: triad.s and 2 more kernels, 2,310 experiments, run at 17 %". */
void saved_state_report(const struct kept_session *k, struct str *out);
/* The newest of a workbench that runs no more; false when there is none. */
bool saved_state_last(struct kept_session *out);
/* The directory of session @name: a path, a kept session by its name, or "last". The caller frees.
 * NULL with err. */
char *saved_state_find(const char *name, struct err *err);
/* Removes the oldest sessions and checkpoints beyond those that are kept. */
void saved_state_prune(void);

#endif
