/* Queue of commands: runs lines and scripts one command at a time. In the workbench commands wait
 * here for a background command or for their machines. UI thread. */
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

/* the remainder of a command line or a script */
struct queued_commands {
    char *script;      /* name of the script; NULL: typed */
    size_t line;       /* line number of the first line of @text */
    char *text;
    bool lines;        /* whether @text has the lines of a script; false: the rest of one line */
};

/* A machine loaded for the next command, under the name in that command: an id or a directory. */
struct queued_machine {
    char *name;
    struct machine *machine;   /* machine; NULL: the command has taken it */
};

struct command_queue {
    unsigned job;      /* job to wait for; 0: none; AWAIT_ALL: all */
    bool now;          /* whether the current command line requested the wait, so its rest is
                        * queued */
    /* whether the job does the command's own work, so cancelling the wait cancels the job */
    bool own;
    struct queued_commands *commands;   /* commands in the order of execution */
    size_t count;
    /* whether tables were loaded for the first queued command, which reports any failure */
    bool loaded;
    struct queued_machines { struct queued_machine *items; size_t count, capacity; } machines;
    /* failed jobs that a command has already reported */
    struct reported_jobs { unsigned *items; size_t count, capacity; } reported;
};

void queue_done(struct command_queue *q);
/* Drops all queued commands and ends the wait. */
void queue_drop(struct command_queue *q);
/* Makes the following commands of the workbench wait for job @number (AWAIT_ALL: all jobs). Drops
 * commands queued before. @own: the job does the command's own work, so cancelling the wait
 * cancels the job. */
void queue_await(struct session *s, unsigned number, bool own);
/* Sets *@ended to whether the awaited job has ended. Returns false with err if it failed or was
 * cancelled; the queued commands are then dropped. For AWAIT_ALL, always returns true. */
bool queue_ended(struct session *s, bool *ended, struct err *err);
/* Runs the queued commands. Returns false with err on the first failure. */
bool queue_run(struct session *s, FILE *out, struct err *err);
/* Waits for job @number (0: all) and adds its result to the session's. Returns false with err if
 * there is no such job, or if it failed or was cancelled; for 0, if any job failed and no command
 * reported it. In scripts a live inference run gets new measurements during the wait. */
bool queue_wait(struct session *s, unsigned number, struct err *err);
/* Removes job @number from the reported jobs. */
void queue_forget(struct command_queue *q, unsigned number);

/* Starts a job that loads the data that @c needs and the session lacks: machines that it names, and
 * the tables of forms (COMMAND_FORMS). Sets *@later if the job continues in the background and @c
 * must run after it. @c itself reports data that could not be loaded. Returns false with err if the
 * job did not start or was cancelled. */
bool queue_load(struct session *s, const struct command *c, char **words, size_t count, bool *later,
                struct err *err);
/* Returns whether machine @name was loaded for the running command. */
bool queue_has_machine(const struct command_queue *q, const char *name);
/* Returns the machine loaded as @name, which moves to the running command; NULL: none. */
struct machine *queue_take_machine(struct command_queue *q, const char *name);
/* Frees the loaded machines that the command has not taken. */
void queue_drop_machines(struct command_queue *q);

#endif
