/* The queue of commands: lines and scripts run one command at a time. On the screen the commands
 * after one that continues in the background wait here, and so do those whose machines are still
 * being loaded. UI thread. */
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
    char *script;      /* its name; NULL: typed */
    size_t line;       /* the number of the first line of @text */
    char *text;
    bool lines;        /* lines of a script; otherwise the remainder of one line */
};

/* A machine loaded for the next command, by the name that the command gives it: an id or a
 * directory. */
struct queued_machine {
    char *name;
    struct machine *machine;   /* NULL: the command has it */
};

struct command_queue {
    unsigned job;      /* that the commands wait for; 0: none, AWAIT_ALL: every one */
    bool now;          /* the current command line requested it: its remainder is to be kept */
    /* the job does the command's own work: whoever stops waiting cancels it */
    bool own;
    struct queued_commands *commands;   /* the first first */
    size_t count;
    struct queued_machines { struct queued_machine *items; size_t count, capacity; } machines;
    /* failed jobs whose failure some command has reported */
    struct reported_jobs { unsigned *items; size_t count, capacity; } told;
};

void queue_done(struct command_queue *q);
/* Drops all that waits, and the wait. */
void queue_drop(struct session *s);
/* The following commands on the screen wait for job @number (AWAIT_ALL: for all); commands that
 * waited before are dropped. */
void queue_await(struct session *s, unsigned number, bool own);
/* Whether the wait is over; false with err when that job failed or was cancelled: then the waiting
 * commands are dropped. */
bool queue_ended(struct session *s, bool *ended, struct err *err);
/* Runs the waiting commands, once the wait is over. False with err on the first failure. */
bool queue_run(struct session *s, FILE *out, struct err *err);
/* Waits for job @number (0: all), and adds its result to the session's; false with err when it
 * failed or was cancelled; of all: when one failed and no command has reported it yet. In scripts a
 * live run of inference gets the measurements meanwhile. */
bool queue_wait(struct session *s, unsigned number, struct err *err);
/* Job @number is one of which nothing is known. */
void queue_forget(struct command_queue *q, unsigned number);

/* Loads the machines that the words of @c name and the session lacks, as a job. *@later: it
 * continues in the background, and the command is to run when it has ended. The command reports
 * what cannot be read or loaded. False with err when the job could not start or was cancelled. */
bool queue_load_machines(struct session *s, const struct command *c, char **words, size_t count,
                         bool *later, struct err *err);
/* The machine loaded as @name for the command that runs, the caller's; NULL: none. */
struct machine *queue_take_machine(struct command_queue *q, const char *name);
/* The command has run: those that it did not take are freed. */
void queue_drop_machines(struct command_queue *q);

#endif
