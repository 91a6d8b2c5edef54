/* Queue of commands: lines and scripts run one command at a time. In the workbench commands wait
 * here for a background command, or for their machines to load. UI thread. */
#ifndef PORTOLAN_CMD_QUEUE_H
#define PORTOLAN_CMD_QUEUE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

#define AWAIT_ALL UINT_MAX

struct command;
struct machine;
struct session;

/* The remainder of a command line or a script. */
struct queued_commands {
    char *script;      /* script name; NULL: typed */
    size_t line;       /* line number of the first line of @text */
    char *text;
    bool lines;        /* lines of a script; false: rest of one line */
};

/* A machine loaded for the next command, by the command's name for it: an id or a directory. */
struct queued_machine {
    char *name;
    struct machine *machine;   /* NULL: taken by the command */
};

struct command_queue {
    unsigned job;      /* job to wait for; 0: none, AWAIT_ALL: all */
    bool now;          /* requested by the current command line: its rest must be kept */
    /* the job does the command's own work: cancelling the wait cancels it */
    bool own;
    struct queued_commands *commands;   /* in order */
    size_t count;
    struct queued_machines { struct queued_machine *items; size_t count, capacity; } machines;
    /* failed jobs already reported by a command */
    struct reported_jobs { unsigned *items; size_t count, capacity; } told;
};

void queue_done(struct command_queue *q);
/* Drops all waiting commands and the wait. */
void queue_drop(struct session *s);
/* Makes following commands of the workbench wait for job @number (AWAIT_ALL: all); drops previously
 * waiting ones. */
void queue_await(struct session *s, unsigned number, bool own);
/* Returns whether the wait is over. False with err when that job failed or was cancelled; the
 * waiting commands are dropped then. */
bool queue_ended(struct session *s, bool *ended, struct err *err);
/* Runs the waiting commands after the wait. False with err on the first failure. */
bool queue_run(struct session *s, FILE *out, struct err *err);
/* Waits for job @number (0: all) and adds its result to the session's. False with err when it
 * failed or was cancelled; of all, when one failed unreported. In scripts a live run of inference
 * gets new measurements meanwhile. */
bool queue_wait(struct session *s, unsigned number, struct err *err);
/* Forgets job @number. */
void queue_forget(struct command_queue *q, unsigned number);

/* Starts a job that loads the machines that @c names and the session lacks. *@later: it continues
 * in the background, and the command must run afterwards. The command itself reports machines that
 * fail to load. False with err when the job could not start or was cancelled. */
bool queue_load_machines(struct session *s, const struct command *c, char **words, size_t count,
                         bool *later, struct err *err);
/* Returns the machine loaded as @name for the running command, which owns it; NULL: none. */
struct machine *queue_take_machine(struct command_queue *q, const char *name);
/* Frees the loaded machines that the command did not take. */
void queue_drop_machines(struct command_queue *q);

#endif
